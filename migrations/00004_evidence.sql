-- +goose Up

create table blobs (                                 -- bytes by what they are; the same bytes are stored once
  id         bigint generated always as identity primary key,
  sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size       bigint not null check (size between 0 and 52428800),
  at         timestamptz not null default now(),
  removed_at timestamptz                             -- the bytes are gone; hash and size stay
);
create unique index blobs_by_content on blobs (sha256, size) where removed_at is null;
create index blobs_by_hash on blobs (sha256 text_pattern_ops);

create table blob_chunks (                           -- 1 MiB each, the last one shorter
  blob_id bigint not null references blobs deferrable initially deferred, -- the hash is known after the last chunk
  number  integer not null check (number >= 0),
  bytes   bytea not null check (length(bytes) between 1 and 1048576),
  primary key (blob_id, number)
);
alter table blob_chunks alter column bytes set storage external;

create table uploads (                               -- received, not yet evidence; what was flagged waits for a person, for an hour
  id         bigint generated always as identity primary key,
  blob_id    bigint not null references blobs,
  person_id  bigint not null references people,
  path       text not null check (length(path) between 1 and 400),          -- what it is to be attached to
  name       text not null check (length(name) between 1 and 255),
  media_type text not null check (length(media_type) <= 200),
  scanned    boolean not null,
  details    jsonb not null,                         -- the form as it was sent: slot, what it proves, until when
  findings   jsonb not null,                         -- kind, line and column, offset and length of the first ones
  found      integer not null check (found >= 0),    -- how many there are
  at         timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz,                            -- attached as it is, redacted, kept or discarded
  evidence_id bigint                                 -- what became of it; null when discarded
);
create index uploads_expiry on uploads (expires_at);
create index uploads_by_person on uploads (person_id, id) where decided_at is null;
create index uploads_by_blob on uploads (blob_id);
create unique index uploads_once on uploads (person_id, path, blob_id, name) where decided_at is null and found > 0; -- the same file sent twice is one decision

create table evidence (                              -- one attachment; never edited, its bytes go when their time is over
  id           bigint generated always as identity primary key,
  kind         text not null check (kind in ('file','text','link')),
  blob_id      bigint references blobs,              -- of a file or a text
  url          text not null default '' check (length(url) <= 2000),
  name         text not null check (length(name) between 1 and 255),
  media_type   text not null default '' check (length(media_type) <= 200), -- as the bytes look, whatever the name says
  proves       text not null default '' check (length(proves) <= 2000),
  workflow_id  bigint references workflows,
  about        text not null check (length(about) between 1 and 400),       -- what it is attached to, in words
  path         text not null check (length(path) between 1 and 400),        -- and where
  slot         text not null default '' check (length(slot) <= 80),
  scanned      boolean not null,                     -- looked through for personal data; only text can be
  findings     jsonb not null default '[]',          -- personal data that stayed, by a reviewer's reason: kind and how often
  kept_reason  text not null default '' check (length(kept_reason) <= 2000),
  kept_by      bigint references people,
  redactions   jsonb not null default '[]',          -- what was taken out before it was saved: kind and how often
  keep_until   date not null,                        -- in force through the end of that day, UTC
  keep_basis   text not null check (length(keep_basis) between 1 and 1000),
  attached_by  bigint not null references people,
  attached_for bigint references people,
  at           timestamptz not null default now(),
  removed_at   timestamptz,                          -- its bytes are gone
  search       tsvector generated always as (to_tsvector('simple', regexp_replace(lower(name || ' ' || proves || ' ' || about), '[^[:alnum:]]+', ' ', 'g'))) stored,
  check ((kind = 'link') = (blob_id is null)),
  check ((kind = 'link') = (url <> '')),
  check ((findings = '[]') = (kept_reason = '')),
  check ((kept_by is null) = (kept_reason = ''))
);
create index evidence_by_blob on evidence (blob_id);
create index evidence_by_path on evidence (path, id);
create index evidence_by_expiry on evidence (keep_until, id);
create index evidence_to_remove on evidence (keep_until, blob_id) where removed_at is null and kind <> 'link';
create index evidence_removed on evidence (id) where removed_at is not null;
create index evidence_by_workflow on evidence (workflow_id, id);
create index evidence_by_kind on evidence (kind, id);
create index evidence_search on evidence using gin (search);

alter table uploads add foreign key (evidence_id) references evidence;

-- +goose StatementBegin
create function evidence_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.removed_at is null and new.removed_at is not null
     and (to_jsonb(new) - 'removed_at' - 'search') = (to_jsonb(old) - 'removed_at' - 'search') then -- search is generated after this
    return new;
  end if;
  raise exception 'evidence is append-only: % refused', tg_op using errcode = 'restrict_violation';
end $$;
-- +goose StatementEnd
create trigger evidence_append_only before update or delete on evidence for each row execute function evidence_stays();
create trigger evidence_no_truncate before truncate on evidence for each statement execute function refuse_change();

create table evidence_holds (                        -- something open rests on it: its bytes stay until this is gone
  evidence_id bigint not null references evidence,
  path        text not null check (length(path) between 1 and 400),
  reason      text not null check (length(reason) between 1 and 200),
  at          timestamptz not null default now(),
  primary key (evidence_id, path)
);

-- +goose StatementBegin
create function blobs_stay() returns trigger language plpgsql as $$
begin
  if old.removed_at is null and new.removed_at is not null and (to_jsonb(new) - 'removed_at') = (to_jsonb(old) - 'removed_at') then
    return new;
  end if;
  raise exception 'blobs are append-only: % refused', tg_op using errcode = 'restrict_violation';
end $$;
-- +goose StatementEnd
create trigger blobs_only_lose_their_bytes before update on blobs for each row execute function blobs_stay();
create trigger blob_chunks_fixed before update on blob_chunks for each row execute function refuse_change(); -- deleted when their time is over
create trigger blobs_no_truncate before truncate on blobs for each statement execute function refuse_change();
create trigger blob_chunks_no_truncate before truncate on blob_chunks for each statement execute function refuse_change();
create trigger uploads_no_truncate before truncate on uploads for each statement execute function refuse_change();
create trigger evidence_holds_no_truncate before truncate on evidence_holds for each statement execute function refuse_change();

-- +goose Down
drop table evidence_holds, uploads, evidence, blob_chunks, blobs;
drop function evidence_stays, blobs_stay;
