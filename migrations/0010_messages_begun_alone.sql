-- Whether the owner of a lane has begun with the message that it has alone: whoever dies before is no death of that message.
-- Null: not known, for a release that did not say marked it; then each death counts.
alter table millrace_private.lanes add column alone_begun boolean;
