-- Deletes doubles of shapes: those that every transaction sees by now, but for one of each number.
delete from millrace_capture.shapes h
 using millrace_capture.shapes other
 where other.no = h.no and other.ctid < h.ctid
