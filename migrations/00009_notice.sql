-- +goose Up

create table mails (                                 -- one e-mail, whatever happens to it; its Message-ID never changes
  id         bigint generated always as identity primary key,
  person_id  bigint not null references people,
  message_id text not null unique check (message_id ~ '^[0-9a-f]{32}$'), -- before the @
  kind       text not null check (kind in ('one','summary','test')),
  state      text not null default 'waiting' check (state in ('waiting','sent','failed','skipped')), -- skipped: no mail server was set, or the person left
  attempts   integer not null default 0 check (attempts >= 0),
  last_error text not null default '' check (length(last_error) <= 500),
  created_at timestamptz not null default now(),
  tried_at   timestamptz,
  sent_at    timestamptz,
  check ((state = 'sent') = (sent_at is not null))
);
create index mails_by_state on mails (state, id);

create table notices (                               -- what one person is told about one event
  id              bigint generated always as identity primary key,
  person_id       bigint not null references people,
  event           text not null check (length(event) between 1 and 80),
  key             text not null check (length(key) between 1 and 200),  -- names the occurrence: told once each
  standing_in_for text not null default '' check (length(standing_in_for) <= 1000), -- names; empty: told in person
  title           text not null check (length(title) between 1 and 300),
  text            text not null default '' check (length(text) <= 2000),
  path            text not null check (path ~ '^/([^/\\]|$)' and length(path) <= 1000),
  at              timestamptz not null default now(),
  read_at         timestamptz,
  mail            text not null check (mail in ('now','hourly','daily','off')), -- as the person had chosen
  mail_id         bigint references mails
);
create unique index notices_once on notices (event, key, person_id);
create index notices_by_person on notices (person_id, id);
create index notices_unread on notices (person_id, id) where read_at is null;
create index notices_unread_by_page on notices (path) where read_at is null;
create index notices_for_summary on notices (person_id, at) where mail_id is null and read_at is null and mail in ('hourly','daily');
create index notices_by_mail on notices (mail_id) where mail_id is not null;

create table mail_choices (                          -- a person without a row has the defaults
  person_id bigint primary key references people,
  choices   jsonb not null,                          -- group of events: now, hourly, daily or off
  version   bigint not null default 1
);

create table webhooks (
  id              bigint generated always as identity primary key,
  name            text not null check (length(name) between 1 and 200),
  url             text not null check (length(url) between 1 and 2000),
  events          text[] not null default '{}',      -- empty: every event
  secret          text not null check (length(secret) between 30 and 100),
  previous_secret text not null default '' check (length(previous_secret) <= 100),
  previous_until  timestamptz,                       -- signed with both until then
  disabled_at     timestamptz,
  created_by      bigint not null references people,
  created_at      timestamptz not null default now(),
  version         bigint not null default 1,
  check ((previous_secret = '') = (previous_until is null))
);

create table webhook_messages (                      -- one event as receivers are told it
  id         bigint generated always as identity primary key,
  webhook_id text not null unique check (webhook_id ~ '^msg_[0-9a-f]{32}$'), -- the header of that name, the same in every attempt
  event      text not null check (length(event) between 1 and 80),
  key        text not null check (length(key) between 1 and 200),
  title      text not null check (length(title) between 1 and 300),
  text       text not null default '' check (length(text) <= 2000),
  path       text not null check (length(path) <= 1000),
  at         timestamptz not null default now()
);
create unique index webhook_messages_once on webhook_messages (event, key);

create table webhook_deliveries (
  id           bigint generated always as identity primary key,
  webhook_id   bigint not null references webhooks,
  message_id   bigint not null references webhook_messages,
  state        text not null default 'waiting' check (state in ('waiting','delivered','failed','held')), -- held: the webhook was disabled
  round        integer not null default 1 check (round > 0),       -- raised by each manual resend; jobs of earlier rounds do nothing
  attempts     integer not null default 0 check (attempts >= 0),
  last_status  integer,
  last_error   text not null default '' check (length(last_error) <= 500),
  last_reply   text not null default '' check (length(last_reply) <= 500),
  created_at   timestamptz not null default now(),
  tried_at     timestamptz,
  delivered_at timestamptz
);
create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, message_id);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);

create table trouble_told (                          -- what was told about a control's trouble in an environment, so that an outage is not told action by action
  event          text not null,
  control_id     bigint not null references controls,
  environment_id bigint not null references environments,
  up_to          timestamptz not null,               -- what began until then was counted
  at             timestamptz not null,
  primary key (event, control_id, environment_id)
);

-- +goose Down
drop table trouble_told;
drop table webhook_deliveries, webhook_messages, webhooks, mail_choices, notices, mails;
