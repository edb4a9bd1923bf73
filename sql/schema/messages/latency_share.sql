-- The latency in milliseconds that this share of what was counted (0.99: all but one of a hundred) does not exceed, as well as
-- buckets tell: within one of them it is taken to be spread evenly. Null where nothing was counted. A page of figures asks some
-- hundred times, so it is a loop: as one statement it took four times as long.
create or replace function millrace_private.latency_share(p_latency bigint[], p_share double precision)
returns double precision language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp as $$
declare
  v_bounds constant double precision[] := millrace_private.latency_bounds();
  v_wanted double precision;
  v_count bigint;
  v_upto bigint := 0;
  v_place integer := 0;
  v_lower double precision;
begin
  foreach v_count in array coalesce(p_latency, '{}') loop
    v_upto := v_upto + coalesce(v_count, 0);
  end loop;
  v_wanted := p_share * v_upto;
  v_upto := 0;
  foreach v_count in array coalesce(p_latency, '{}') loop
    v_place := v_place + 1;
    if v_count > 0 then
      v_upto := v_upto + v_count;
      if v_upto >= v_wanted then
        v_lower := coalesce(v_bounds[v_place - 1], 0);
        return round((v_lower + (coalesce(v_bounds[v_place], v_bounds[v_place - 1]) - v_lower)
                                * (v_wanted - (v_upto - v_count)) / v_count)::numeric, 1);
      end if;
    end if;
  end loop;
  return null;
end
$$;
