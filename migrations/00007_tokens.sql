-- +goose Up

create table tokens (                                -- what an automation shows to be let in; the token itself is shown once
  id              bigint generated always as identity primary key,
  hash            bytea not null unique,             -- SHA-256 of the token
  hint            text not null check (length(hint) <= 12), -- its first characters, to tell tokens apart
  name            text not null check (length(name) between 1 and 200),
  workflow_id     bigint not null references workflows,
  environment_id  bigint not null references environments,
  scopes          text[] not null check (cardinality(scopes) > 0 and scopes <@ array['deliveries','claims','outcomes','lookups','replays','read']),
  rate_per_minute integer not null default 0 check (rate_per_minute between 0 and 100000), -- calls; 0: not limited
  expires_on      date,                              -- in force through the end of that day, UTC
  created_by      bigint not null references people, -- whom the automation counts as where duties are kept apart
  created_at      timestamptz not null default now(),
  last_used_at    timestamptz,                       -- written at most once a minute
  revoked_at      timestamptz,
  revoked_by      bigint references people,
  check ((revoked_at is null) = (revoked_by is null))
);
create index tokens_by_name on tokens (name, id);
create index tokens_by_workflow on tokens (workflow_id, name, id);

create unlogged table token_rates (                  -- how far a limited token has used its calls up; forgotten in a crash
  token_id bigint primary key references tokens,
  spent_to timestamptz not null                      -- each call moves it on by a minute divided by the rate
);

-- +goose Down
drop table token_rates, tokens;
