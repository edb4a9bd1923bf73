select <partman>.create_parent(
  p_parent_table => <parent>,
  p_template_table => <parent>,
  p_control => 'committed_at',
  p_interval => <interval>,
  p_automatic_maintenance => 'on',
  p_default_table => false
)
