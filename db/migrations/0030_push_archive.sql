-- Bytes of segments may be in the archive (ARI_ARCHIVE_URL, decisions/040-archive-of-bodies.md): in an object that has many,
-- from this byte on.
alter table push_body_segment
  alter column bytes drop not null,
  add column object text, add column object_from int, add column object_length int,
  add constraint push_body_segment_bytes_check check ((bytes is null) = (object is not null));
-- Those that aren't there yet.
create index push_body_segment_stored on push_body_segment (at) where object is null;
