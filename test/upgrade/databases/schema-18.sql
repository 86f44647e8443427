-- {"madeBy":"237b3b63","key":"sk-0bpUe9npI6ZMaskdrl7AXA3tHDcQnU0qj9xncNk3uSlQle6X","accountId":"acc_woaxvk7fnjbrwswzdw6y","balance":"8.499922","settlements":4,"responseId":"resp_sandbox_1794955591081004","responseOutput":"[{\"id\":\"msg_sandbox_1794955591081004_0\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello! I am a simulated model. Ask me anything.\",\"annotations\":[],\"logprobs\":[]}]}]"}
CREATE TABLE schema_migrations (version integer primary key, name text not null);
CREATE TABLE accounts (
      id text primary key,
      name text not null,
      email text,
      earned_tier text not null,
      tier_assignment text,
      credit_line_nano bigint,
      created_at_ms bigint not null
    , balance_alert_nano bigint);
CREATE TABLE account_balances (
      account_id text primary key,
      balance_nano bigint not null check (balance_nano between -9223372036854775807 and 9223372036854775807),
      total_paid_nano bigint not null check (total_paid_nano between -9223372036854775807 and 9223372036854775807)
    , version bigint not null default 0);
CREATE TABLE api_keys (
      id text primary key,
      account_id text not null references accounts (id),
      name text not null,
      state text not null,
      route_policy text not null,
      usage_limit text,
      rpm bigint,
      tpm bigint,
      model_allowlist text,
      budget text,
      expires_at_ms bigint,
      created_at_ms bigint not null
    , shared_fallback integer not null default 0);
CREATE TABLE key_secrets (
      fingerprint text primary key,
      key_id text not null references api_keys (id),
      position integer not null,
      last_four text not null,
      expires_at_ms bigint,
      unique (key_id, position)
    );
CREATE TABLE suppliers (
      id text primary key,
      type text not null,
      base_url text not null,
      formats text not null,
      source text not null,
      account_id text references accounts (id),
      enabled integer not null
    , options text not null default '{}', timeouts text);
CREATE TABLE credentials (
      id text primary key,
      supplier_id text not null references suppliers (id),
      sealed_secret text not null,
      label text,
      rpm bigint,
      tpm bigint,
      weight double precision not null,
      state text not null
    );
CREATE TABLE models (
      id text primary key,
      owned_by text not null,
      display_name text not null,
      description text not null,
      kinds text not null,
      input_token_limit bigint,
      output_token_limit bigint,
      rpm bigint,
      tpm bigint,
      capabilities text not null,
      created_at_ms bigint not null
    );
CREATE TABLE routes (
      model_id text not null references models (id),
      supplier_id text not null references suppliers (id),
      upstream_model text not null,
      formats text,
      price text,
      rpm bigint,
      tpm bigint,
      priority integer not null,
      enabled integer not null,
      primary key (model_id, supplier_id)
    );
CREATE TABLE payments (
      id text primary key,
      account_id text not null references accounts (id),
      reference text not null,
      amount_nano bigint not null,
      note text,
      at_ms bigint not null,
      unique (account_id, reference)
    );
CREATE TABLE settlements (
      request_id text primary key,
      account_id text not null,
      key_id text not null,
      model text not null,
      supplier text,
      credential_id text,
      client_format text not null,
      supplier_format text,
      stream integer not null,
      input_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_tokens bigint not null,
      output_tokens bigint not null,
      reasoning_tokens bigint not null,
      images bigint not null,
      provenance text not null,
      price text,
      amount_nano bigint not null,
      outcome text not null,
      attempts text not null,
      started_at_ms bigint not null,
      first_byte_ms bigint,
      duration_ms bigint not null
    );
CREATE TABLE key_daily_spend (
      key_id text not null,
      day integer not null,
      amount_nano bigint not null check (amount_nano between -9223372036854775807 and 9223372036854775807),
      primary key (key_id, day)
    );
CREATE TABLE audit_events (
      id text primary key,
      at_ms bigint not null,
      actor text not null,
      action text not null,
      subject text not null,
      before_change text,
      after_change text
    );
CREATE TABLE kept_replies (
      account_id text not null,
      id text not null,
      created_at_ms bigint not null,
      expires_at_ms bigint not null,
      sealed_content text not null,
      primary key (account_id, id)
    );
CREATE TABLE kept_reply_items (
      account_id text not null,
      item_id text not null,
      reply_id text not null,
      sealed_item text not null,
      primary key (account_id, item_id),
      foreign key (account_id, reply_id) references kept_replies (account_id, id) on delete cascade
    );
CREATE TABLE server_keys (
      name text primary key,
      sealed_key text not null
    );
CREATE TABLE refunds (
      id text primary key,
      account_id text not null references accounts (id),
      reference text not null,
      amount_nano bigint not null,
      reason text not null,
      at_ms bigint not null,
      unique (account_id, reference)
    );
CREATE TABLE tier_doubts (
      account_id text primary key references accounts (id),
      since_ms bigint not null
    );
CREATE TABLE scheduled_jobs (
      name text primary key,
      last_run_ms bigint not null
    );
CREATE TABLE posted_entries (
      kind text not null check (kind in ('payment', 'refund', 'adjustment')),
      id text not null,
      account_id text not null,
      amount_nano bigint not null,
      request_id text,
      reference text,
      note text,
      at_ms bigint not null,
      primary key (kind, id)
    );
CREATE TABLE alerts (
      id text primary key,
      kind text not null,
      account_id text references accounts (id),
      subject text not null,
      occasion text unique,
      at_ms bigint not null,
      data text not null,
      delivery text not null check (delivery in ('none', 'pending', 'delivered', 'failed')),
      tries integer not null default 0,
      due_at_ms bigint,
      last_failure text
    );
CREATE TABLE alert_webhooks (
      account_id text primary key references accounts (id),
      url text not null,
      enabled integer not null,
      sealed_secret text not null,
      created_at_ms bigint not null
    );
CREATE TABLE usage_totals (
      span text not null check (span in ('hour', 'day')),
      start_ms bigint not null,
      account_id text not null,
      key_id text not null,
      model text not null,
      supplier text not null,
      completed bigint not null,
      client_left bigint not null,
      supplier_failed bigint not null,
      refused bigint not null,
      interrupted bigint not null,
      input_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_tokens bigint not null,
      output_tokens bigint not null,
      reasoning_tokens bigint not null,
      images bigint not null,
      amount_nano bigint not null check (amount_nano between -9223372036854775807 and 9223372036854775807),
      first_bytes bigint not null,
      first_byte_ms bigint not null,
      duration_ms bigint not null,
      primary key (span, start_ms, account_id, key_id, model, supplier)
    );
CREATE TABLE carried_settlements (
      account_id text not null,
      key_id text not null,
      day bigint not null,
      settlements bigint not null,
      amount_nano bigint not null check (amount_nano between -9223372036854775807 and 9223372036854775807),
      at_ms bigint not null,
      primary key (account_id, key_id, day)
    );
CREATE TABLE settlement_horizon (
      only_row integer primary key check (only_row = 1),
      gone_before_ms bigint not null
    );
CREATE TABLE users (
      id text primary key,
      email text not null unique,
      name text not null,
      password_hash text,
      is_operator integer not null,
      is_disabled integer not null,
      is_email_verified integer not null,
      outside_id text unique,
      created_at_ms bigint not null
    , device_generation bigint not null default 0);
CREATE TABLE memberships (
      user_id text not null references users (id),
      account_id text not null references accounts (id),
      role text not null check (role in ('owner', 'member')),
      primary key (user_id, account_id)
    );
CREATE TABLE sessions (
      id text primary key,
      user_id text not null references users (id),
      token_hash text not null unique,
      created_at_ms bigint not null,
      last_seen_at_ms bigint not null,
      ends_at_ms bigint not null,
      address text,
      user_agent text
    );
CREATE TABLE user_factors (
      user_id text primary key references users (id),
      sealed_secret text not null,
      is_confirmed integer not null,
      last_step bigint not null
    );
CREATE TABLE user_recovery_codes (
      user_id text not null references users (id),
      code_hash text not null,
      primary key (user_id, code_hash)
    );
CREATE TABLE body_storage (
      account_id text primary key references accounts (id),
      is_enabled integer not null,
      days integer not null
    );
CREATE TABLE kept_bodies (
      account_id text not null,
      request_id text not null,
      created_at_ms bigint not null,
      sealed_content text not null,
      primary key (account_id, request_id)
    );
CREATE TABLE playground_keys (
      user_id text not null references users (id),
      account_id text not null references accounts (id),
      key_id text not null references api_keys (id),
      primary key (user_id, account_id)
    );
CREATE TABLE configuration_version (
      only_row integer primary key check (only_row = 1),
      version bigint not null
    );
CREATE TABLE nodes (
      id text primary key,
      name text not null,
      version text not null,
      started_at_ms bigint not null,
      heartbeat_at_ms bigint not null
    , sealing integer not null default 0, shared_limits_id text);
CREATE TABLE reply_turns (
      turn_id text primary key,
      account_id text not null,
      reply_id text not null,
      previous_turn_id text references reply_turns (turn_id) on delete set null,
      links bigint not null,
      children bigint not null,
      created_at_ms bigint not null,
      size_bytes bigint not null,
      item_bytes bigint not null,
      pieces bigint not null,
      unique (account_id, reply_id),
      foreign key (account_id, reply_id) references kept_replies (account_id, id)
        on delete cascade on update cascade
    );
CREATE TABLE kept_reply_pieces (
      piece_id text primary key,
      sealed_piece text not null
    );
CREATE TABLE unused_reply_pieces (
      turn_id text primary key,
      pieces bigint not null,
      due_at_ms bigint not null
    );
CREATE TABLE kept_reply_bytes (
      account_id text primary key,
      size_bytes bigint not null
    );
CREATE TABLE sealed_columns (
      table_name text not null,
      column_name text not null,
      bound_at_ms bigint not null,
      primary key (table_name, column_name)
    );
CREATE TABLE payment_methods (
      id text primary key,
      name text not null,
      text text not null,
      link text,
      position integer not null,
      enabled integer not null
    );
insert into "schema_migrations" ("version", "name") values (1, 'initial schema');
insert into "schema_migrations" ("version", "name") values (2, 'kept-replies');
insert into "schema_migrations" ("version", "name") values (3, 'supplier-options');
insert into "schema_migrations" ("version", "name") values (4, 'server-keys');
insert into "schema_migrations" ("version", "name") values (5, 'narrow-time-index');
insert into "schema_migrations" ("version", "name") values (6, 'refunds-and-tiers');
insert into "schema_migrations" ("version", "name") values (7, 'settlements-are-entries');
insert into "schema_migrations" ("version", "name") values (8, 'alerts');
insert into "schema_migrations" ("version", "name") values (9, 'usage-and-retention');
insert into "schema_migrations" ("version", "name") values (10, 'users');
insert into "schema_migrations" ("version", "name") values (11, 'console');
insert into "schema_migrations" ("version", "name") values (12, 'console-indexes');
insert into "schema_migrations" ("version", "name") values (13, 'nodes');
insert into "schema_migrations" ("version", "name") values (14, 'adjustment-references');
insert into "schema_migrations" ("version", "name") values (15, 'reply-chains');
insert into "schema_migrations" ("version", "name") values (16, 'bound-seals');
insert into "schema_migrations" ("version", "name") values (17, 'shared-limits-id');
insert into "schema_migrations" ("version", "name") values (18, 'payment-methods');
insert into "accounts" ("id", "name", "email", "earned_tier", "tier_assignment", "credit_line_nano", "created_at_ms", "balance_alert_nano") values ('acc_dbr268smxmqxt8ys0iwr', 'First account', NULL, 'Starter', NULL, NULL, 1794955591142, NULL);
insert into "accounts" ("id", "name", "email", "earned_tier", "tier_assignment", "credit_line_nano", "created_at_ms", "balance_alert_nano") values ('acc_woaxvk7fnjbrwswzdw6y', 'Acme', 'billing@acme.example', 'Starter', NULL, 0, 1794955592204, NULL);
insert into "account_balances" ("account_id", "balance_nano", "total_paid_nano", "version") values ('acc_dbr268smxmqxt8ys0iwr', 0, 0, 0);
insert into "account_balances" ("account_id", "balance_nano", "total_paid_nano", "version") values ('acc_woaxvk7fnjbrwswzdw6y', 8499922000, 10000000000, 3);
insert into "api_keys" ("id", "account_id", "name", "state", "route_policy", "usage_limit", "rpm", "tpm", "model_allowlist", "budget", "expires_at_ms", "created_at_ms", "shared_fallback") values ('key_gs30a2x7gt0ifkwizlmo', 'acc_dbr268smxmqxt8ys0iwr', 'First key', 'active', '{"mode":"intelligent"}', NULL, NULL, NULL, NULL, NULL, NULL, 1794955591157, 0);
insert into "api_keys" ("id", "account_id", "name", "state", "route_policy", "usage_limit", "rpm", "tpm", "model_allowlist", "budget", "expires_at_ms", "created_at_ms", "shared_fallback") values ('key_33ljojbtdckh8o7jaltg', 'acc_woaxvk7fnjbrwswzdw6y', 'ci', 'active', '{"mode":"intelligent"}', NULL, 60, NULL, NULL, NULL, NULL, 1794955592422, 0);
insert into "key_secrets" ("fingerprint", "key_id", "position", "last_four", "expires_at_ms") values ('Af7_vETBUnDeaLqKUyEggc5wSUJIB4kugtqXD6k60ys', 'key_gs30a2x7gt0ifkwizlmo', 0, '0001', NULL);
insert into "key_secrets" ("fingerprint", "key_id", "position", "last_four", "expires_at_ms") values ('wjo5gp_V5IXKQrYivlr-7n_RPvUfJWeTOBD-jfeCP3Q', 'key_33ljojbtdckh8o7jaltg', 0, 'le6X', NULL);
insert into "suppliers" ("id", "type", "base_url", "formats", "source", "account_id", "enabled", "options", "timeouts") values ('sandbox-openai', 'sandbox', 'http://sandbox.turnpike.invalid', '["chat-completion","responses","images"]', 'shared', NULL, 1, '{}', '{"connectMs":null,"firstByteMs":null,"idleMs":null}');
insert into "suppliers" ("id", "type", "base_url", "formats", "source", "account_id", "enabled", "options", "timeouts") values ('sandbox-anthropic', 'sandbox', 'http://sandbox.turnpike.invalid', '["messages"]', 'shared', NULL, 1, '{}', '{"connectMs":null,"firstByteMs":null,"idleMs":null}');
insert into "suppliers" ("id", "type", "base_url", "formats", "source", "account_id", "enabled", "options", "timeouts") values ('sandbox-google', 'sandbox', 'http://sandbox.turnpike.invalid', '["content-generation"]', 'shared', NULL, 1, '{}', '{"connectMs":null,"firstByteMs":null,"idleMs":null}');
insert into "suppliers" ("id", "type", "base_url", "formats", "source", "account_id", "enabled", "options", "timeouts") values ('acme', 'openai-compatible', 'https://api.example.com/v1', '["chat-completion"]', 'shared', NULL, 1, '{}', '{"connectMs":null,"firstByteMs":null,"idleMs":null}');
insert into "credentials" ("id", "supplier_id", "sealed_secret", "label", "rpm", "tpm", "weight", "state") values ('cred_kx7ofzpylx34y3pvu2i0', 'sandbox-openai', 'v2.zA5C6WXbh4go-seGs3GnfoViYk7Kn1iswydTm-mYk85N-hEhClMw8hamhlmZDuU', 'built in', NULL, NULL, 1.0, 'active');
insert into "credentials" ("id", "supplier_id", "sealed_secret", "label", "rpm", "tpm", "weight", "state") values ('cred_k4pw0v78v5zsjpio27pe', 'sandbox-anthropic', 'v2.g7op4lPw9cQMnoUAEMvL7jR2aRJi8niTgs-KY0pGenJDCYR52wsOy-sbKxeL7ZE', 'built in', NULL, NULL, 1.0, 'active');
insert into "credentials" ("id", "supplier_id", "sealed_secret", "label", "rpm", "tpm", "weight", "state") values ('cred_ubohrhq4z0wm1o5819ob', 'sandbox-google', 'v2.TUPtLqqR7i32T01dec7VbP3iQ8Umb1D7QVR4nLX_i-z2_xtyVJgzJgUuNVrj5V0', 'built in', NULL, NULL, 1.0, 'active');
insert into "credentials" ("id", "supplier_id", "sealed_secret", "label", "rpm", "tpm", "weight", "state") values ('cred_o2cx9bht6ba9siry94nq', 'acme', 'v2.cPH9CDdu9LtbHXQnrwqlpIv7UI6kf7kkR3sqn5RoBYdyiIz7OwvGXJNPRKbUeshtVg', NULL, NULL, NULL, 1.0, 'active');
insert into "models" ("id", "owned_by", "display_name", "description", "kinds", "input_token_limit", "output_token_limit", "rpm", "tpm", "capabilities", "created_at_ms") values ('sandbox-chat', 'turnpike', 'sandbox-chat', 'Talks back; the same question gets the same answer.', '["text"]', 128000, 16384, NULL, NULL, '{}', 1794955591059);
insert into "models" ("id", "owned_by", "display_name", "description", "kinds", "input_token_limit", "output_token_limit", "rpm", "tpm", "capabilities", "created_at_ms") values ('sandbox-reasoner', 'turnpike', 'sandbox-reasoner', 'Thinks aloud before it answers.', '["text"]', 128000, 16384, NULL, NULL, '{}', 1794955591060);
insert into "models" ("id", "owned_by", "display_name", "description", "kinds", "input_token_limit", "output_token_limit", "rpm", "tpm", "capabilities", "created_at_ms") values ('sandbox-tools', 'turnpike', 'sandbox-tools', 'Calls the first tool it is offered, then answers from the result.', '["text"]', 128000, 16384, NULL, NULL, '{}', 1794955591062);
insert into "models" ("id", "owned_by", "display_name", "description", "kinds", "input_token_limit", "output_token_limit", "rpm", "tpm", "capabilities", "created_at_ms") values ('sandbox-slow', 'turnpike', 'sandbox-slow', 'Takes its time, before the first word and between words.', '["text"]', 128000, 16384, NULL, NULL, '{}', 1794955591064);
insert into "models" ("id", "owned_by", "display_name", "description", "kinds", "input_token_limit", "output_token_limit", "rpm", "tpm", "capabilities", "created_at_ms") values ('sandbox-flaky', 'turnpike', 'sandbox-flaky', 'Fails now and then, in different ways.', '["text"]', 128000, 16384, NULL, NULL, '{}', 1794955591065);
insert into "models" ("id", "owned_by", "display_name", "description", "kinds", "input_token_limit", "output_token_limit", "rpm", "tpm", "capabilities", "created_at_ms") values ('sandbox-image', 'turnpike', 'sandbox-image', 'Generates an image that depends on the prompt, and edits images within a mask.', '["image","image-edit"]', 128000, 16384, NULL, NULL, '{"images":{"sizes":["256x256","512x512","1024x1024","1792x1024","1024x1792"],"qualities":["standard","hd"],"styles":["vivid","natural"],"promptCharacters":4000}}', 1794955591066);
insert into "models" ("id", "owned_by", "display_name", "description", "kinds", "input_token_limit", "output_token_limit", "rpm", "tpm", "capabilities", "created_at_ms") values ('sandbox-image-base64', 'turnpike', 'sandbox-image-base64', 'Like current image models: returns images as Base64 and counts tokens.', '["image","image-edit"]', 128000, 16384, NULL, NULL, '{"images":{"qualities":["low","medium","high","auto"],"styles":[],"responseFormat":"none"}}', 1794955591068);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-chat', 'sandbox-openai', 'sandbox-chat', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 1, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-chat', 'sandbox-anthropic', 'sandbox-chat', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 2, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-chat', 'sandbox-google', 'sandbox-chat', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 3, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-reasoner', 'sandbox-openai', 'sandbox-reasoner', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 1, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-reasoner', 'sandbox-anthropic', 'sandbox-reasoner', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 2, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-reasoner', 'sandbox-google', 'sandbox-reasoner', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 3, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-tools', 'sandbox-openai', 'sandbox-tools', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 1, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-tools', 'sandbox-anthropic', 'sandbox-tools', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 2, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-tools', 'sandbox-google', 'sandbox-tools', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 3, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-slow', 'sandbox-openai', 'sandbox-slow', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 1, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-flaky', 'sandbox-openai', 'sandbox-flaky', NULL, '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', NULL, NULL, 1, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-image', 'sandbox-openai', 'sandbox-image', '["images"]', '{"inputNanoPerMillion":"0","outputNanoPerMillion":"0","cacheReadNanoPerMillion":"0","cacheWriteNanoPerMillion":"0","imageNano":"20000000"}', NULL, NULL, 1, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-image', 'sandbox-google', 'sandbox-image', '["content-generation"]', '{"inputNanoPerMillion":"0","outputNanoPerMillion":"0","cacheReadNanoPerMillion":"0","cacheWriteNanoPerMillion":"0","imageNano":"20000000"}', NULL, NULL, 2, 1);
insert into "routes" ("model_id", "supplier_id", "upstream_model", "formats", "price", "rpm", "tpm", "priority", "enabled") values ('sandbox-image-base64', 'sandbox-openai', 'sandbox-image-base64', '["images"]', '{"inputNanoPerMillion":"5000000000","outputNanoPerMillion":"30000000000","cacheReadNanoPerMillion":"1250000000","cacheWriteNanoPerMillion":"5000000000","imageNano":"0"}', NULL, NULL, 1, 1);
insert into "payments" ("id", "account_id", "reference", "amount_nano", "note", "at_ms") values ('pay_5zen2dfvf19fg4lpnd0f', 'acc_woaxvk7fnjbrwswzdw6y', 'invoice-1', 10000000000, NULL, 1794955592270);
insert into "settlements" ("request_id", "account_id", "key_id", "model", "supplier", "credential_id", "client_format", "supplier_format", "stream", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "images", "provenance", "price", "amount_nano", "outcome", "attempts", "started_at_ms", "first_byte_ms", "duration_ms") values ('req_01a1ebb0c2efab3f13fa35f650ff9edf', 'acc_woaxvk7fnjbrwswzdw6y', 'key_33ljojbtdckh8o7jaltg', 'sandbox-chat', 'sandbox-openai', 'cred_kx7ofzpylx34y3pvu2i0', 'chat-completion', 'chat-completion', 0, 3, 0, 0, 12, 0, 0, 'supplier', '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', 19500, 'completed', '[{"supplier":"sandbox-openai","credentialId":"cred_kx7ofzpylx34y3pvu2i0","reason":"score 1: price 1 latency 1 success 1","result":"answered","status":200,"failure":null,"startedAtMs":1794955592526,"firstByteMs":114,"durationMs":114}]', 1794955592476, 164, 165);
insert into "settlements" ("request_id", "account_id", "key_id", "model", "supplier", "credential_id", "client_format", "supplier_format", "stream", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "images", "provenance", "price", "amount_nano", "outcome", "attempts", "started_at_ms", "first_byte_ms", "duration_ms") values ('req_01a1ebb0c3db45cdb5854da151743d69', 'acc_woaxvk7fnjbrwswzdw6y', 'key_33ljojbtdckh8o7jaltg', 'sandbox-chat', 'sandbox-openai', 'cred_kx7ofzpylx34y3pvu2i0', 'chat-completion', 'chat-completion', 0, 3, 0, 0, 12, 0, 0, 'supplier', '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', 19500, 'completed', '[{"supplier":"sandbox-openai","credentialId":"cred_kx7ofzpylx34y3pvu2i0","reason":"affinity","result":"answered","status":200,"failure":null,"startedAtMs":1794955592676,"firstByteMs":15,"durationMs":15}]', 1794955592668, 24, 24);
insert into "settlements" ("request_id", "account_id", "key_id", "model", "supplier", "credential_id", "client_format", "supplier_format", "stream", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "images", "provenance", "price", "amount_nano", "outcome", "attempts", "started_at_ms", "first_byte_ms", "duration_ms") values ('req_01a1ebb0c3fef0247156703e02325289', 'acc_woaxvk7fnjbrwswzdw6y', 'key_33ljojbtdckh8o7jaltg', 'sandbox-chat', 'sandbox-openai', 'cred_kx7ofzpylx34y3pvu2i0', 'chat-completion', 'chat-completion', 0, 3, 0, 0, 12, 0, 0, 'supplier', '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', 19500, 'completed', '[{"supplier":"sandbox-openai","credentialId":"cred_kx7ofzpylx34y3pvu2i0","reason":"affinity","result":"answered","status":200,"failure":null,"startedAtMs":1794955592704,"firstByteMs":1,"durationMs":1}]', 1794955592703, 2, 2);
insert into "settlements" ("request_id", "account_id", "key_id", "model", "supplier", "credential_id", "client_format", "supplier_format", "stream", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "images", "provenance", "price", "amount_nano", "outcome", "attempts", "started_at_ms", "first_byte_ms", "duration_ms") values ('req_01a1ebb0c40677ff888e1d6e431cd15e', 'acc_woaxvk7fnjbrwswzdw6y', 'key_33ljojbtdckh8o7jaltg', 'sandbox-chat', 'sandbox-openai', 'cred_kx7ofzpylx34y3pvu2i0', 'responses', 'responses', 0, 3, 0, 0, 12, 0, 0, 'supplier', '{"inputNanoPerMillion":"500000000","outputNanoPerMillion":"1500000000","cacheReadNanoPerMillion":"50000000","cacheWriteNanoPerMillion":"500000000","imageNano":"0"}', 19500, 'completed', '[{"supplier":"sandbox-openai","credentialId":"cred_kx7ofzpylx34y3pvu2i0","reason":"score 1: price 1 latency 1 success 1","result":"answered","status":200,"failure":null,"startedAtMs":1794955592715,"firstByteMs":7,"durationMs":7}]', 1794955592715, 7, 12);
insert into "key_daily_spend" ("key_id", "day", "amount_nano") values ('key_33ljojbtdckh8o7jaltg', 20774, 78000);
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000001_gk61o95p1h13on8khnj2', 1794955590996, 'sandbox', 'supplier.created', 'sandbox-openai', NULL, '{"id":"sandbox-openai","type":"sandbox","base_url":"http://sandbox.turnpike.invalid","formats":["chat-completion","responses","images"],"source":"shared","account_id":null,"enabled":true,"options":{},"timeouts":{"connect_seconds":null,"first_byte_seconds":null,"idle_seconds":null}}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000002_wtk2nbbggnbu3tteio1t', 1794955591033, 'sandbox', 'credential.added', 'cred_kx7ofzpylx34y3pvu2i0', NULL, '{"id":"cred_kx7ofzpylx34y3pvu2i0","supplier":"sandbox-openai","label":"built in","rpm":null,"tpm":null,"weight":1,"state":"active","last_four":"t-in"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000003_ob3wee2jklbh96xxmpcc', 1794955591045, 'sandbox', 'supplier.created', 'sandbox-anthropic', NULL, '{"id":"sandbox-anthropic","type":"sandbox","base_url":"http://sandbox.turnpike.invalid","formats":["messages"],"source":"shared","account_id":null,"enabled":true,"options":{},"timeouts":{"connect_seconds":null,"first_byte_seconds":null,"idle_seconds":null}}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000004_gwtri77bvz5qljop9nbd', 1794955591055, 'sandbox', 'credential.added', 'cred_k4pw0v78v5zsjpio27pe', NULL, '{"id":"cred_k4pw0v78v5zsjpio27pe","supplier":"sandbox-anthropic","label":"built in","rpm":null,"tpm":null,"weight":1,"state":"active","last_four":"t-in"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000005_w1gbhf6l7f129pksdp8j', 1794955591057, 'sandbox', 'supplier.created', 'sandbox-google', NULL, '{"id":"sandbox-google","type":"sandbox","base_url":"http://sandbox.turnpike.invalid","formats":["content-generation"],"source":"shared","account_id":null,"enabled":true,"options":{},"timeouts":{"connect_seconds":null,"first_byte_seconds":null,"idle_seconds":null}}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000006_fwymxeolnxhsgvv2nq1g', 1794955591058, 'sandbox', 'credential.added', 'cred_ubohrhq4z0wm1o5819ob', NULL, '{"id":"cred_ubohrhq4z0wm1o5819ob","supplier":"sandbox-google","label":"built in","rpm":null,"tpm":null,"weight":1,"state":"active","last_four":"t-in"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000007_66amo23waw0xvucb1kok', 1794955591059, 'sandbox', 'model.created', 'sandbox-chat', NULL, '{"id":"sandbox-chat","owned_by":"turnpike","display_name":"sandbox-chat","description":"Talks back; the same question gets the same answer.","kinds":["text"],"input_token_limit":128000,"output_token_limit":16384,"rpm":null,"tpm":null,"capabilities":{},"created_at":"2026-11-17T22:46:31.059Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000008_c1pqbcnbcr4iiykle99o', 1794955591060, 'sandbox', 'model.created', 'sandbox-reasoner', NULL, '{"id":"sandbox-reasoner","owned_by":"turnpike","display_name":"sandbox-reasoner","description":"Thinks aloud before it answers.","kinds":["text"],"input_token_limit":128000,"output_token_limit":16384,"rpm":null,"tpm":null,"capabilities":{},"created_at":"2026-11-17T22:46:31.060Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000009_ffvr9x21l41p7570nanv', 1794955591062, 'sandbox', 'model.created', 'sandbox-tools', NULL, '{"id":"sandbox-tools","owned_by":"turnpike","display_name":"sandbox-tools","description":"Calls the first tool it is offered, then answers from the result.","kinds":["text"],"input_token_limit":128000,"output_token_limit":16384,"rpm":null,"tpm":null,"capabilities":{},"created_at":"2026-11-17T22:46:31.062Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000010_h4nssd73cou0wgwf9psf', 1794955591064, 'sandbox', 'model.created', 'sandbox-slow', NULL, '{"id":"sandbox-slow","owned_by":"turnpike","display_name":"sandbox-slow","description":"Takes its time, before the first word and between words.","kinds":["text"],"input_token_limit":128000,"output_token_limit":16384,"rpm":null,"tpm":null,"capabilities":{},"created_at":"2026-11-17T22:46:31.064Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000011_d4pwe267dymkaw2fca9u', 1794955591065, 'sandbox', 'model.created', 'sandbox-flaky', NULL, '{"id":"sandbox-flaky","owned_by":"turnpike","display_name":"sandbox-flaky","description":"Fails now and then, in different ways.","kinds":["text"],"input_token_limit":128000,"output_token_limit":16384,"rpm":null,"tpm":null,"capabilities":{},"created_at":"2026-11-17T22:46:31.065Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000012_dvrawn7a2k8sv2jdb4t8', 1794955591066, 'sandbox', 'model.created', 'sandbox-image', NULL, '{"id":"sandbox-image","owned_by":"turnpike","display_name":"sandbox-image","description":"Generates an image that depends on the prompt, and edits images within a mask.","kinds":["image","image-edit"],"input_token_limit":128000,"output_token_limit":16384,"rpm":null,"tpm":null,"capabilities":{"images":{"sizes":["256x256","512x512","1024x1024","1792x1024","1024x1792"],"qualities":["standard","hd"],"styles":["vivid","natural"],"promptCharacters":4000}},"created_at":"2026-11-17T22:46:31.066Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000013_2k9l1mj8uc8b0mva6d1u', 1794955591068, 'sandbox', 'model.created', 'sandbox-image-base64', NULL, '{"id":"sandbox-image-base64","owned_by":"turnpike","display_name":"sandbox-image-base64","description":"Like current image models: returns images as Base64 and counts tokens.","kinds":["image","image-edit"],"input_token_limit":128000,"output_token_limit":16384,"rpm":null,"tpm":null,"capabilities":{"images":{"qualities":["low","medium","high","auto"],"styles":[],"responseFormat":"none"}},"created_at":"2026-11-17T22:46:31.068Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000014_gbl5n4jh5pjkg2mdcr2n', 1794955591069, 'sandbox', 'route.created', 'sandbox-chat/routes/sandbox-openai', NULL, '{"model":"sandbox-chat","supplier":"sandbox-openai","upstream_model":"sandbox-chat","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":1,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000015_f928cop1x7woi9rxn2we', 1794955591071, 'sandbox', 'route.created', 'sandbox-chat/routes/sandbox-anthropic', NULL, '{"model":"sandbox-chat","supplier":"sandbox-anthropic","upstream_model":"sandbox-chat","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":2,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000016_i8jgingz8wabmp6eechc', 1794955591072, 'sandbox', 'route.created', 'sandbox-chat/routes/sandbox-google', NULL, '{"model":"sandbox-chat","supplier":"sandbox-google","upstream_model":"sandbox-chat","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":3,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000017_0rn5temesoe8aqafonm3', 1794955591073, 'sandbox', 'route.created', 'sandbox-reasoner/routes/sandbox-openai', NULL, '{"model":"sandbox-reasoner","supplier":"sandbox-openai","upstream_model":"sandbox-reasoner","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":1,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000018_sgb0xpiws6vv69kkqgkf', 1794955591075, 'sandbox', 'route.created', 'sandbox-reasoner/routes/sandbox-anthropic', NULL, '{"model":"sandbox-reasoner","supplier":"sandbox-anthropic","upstream_model":"sandbox-reasoner","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":2,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000019_s8pffw3w58yxp7mus1sz', 1794955591075, 'sandbox', 'route.created', 'sandbox-reasoner/routes/sandbox-google', NULL, '{"model":"sandbox-reasoner","supplier":"sandbox-google","upstream_model":"sandbox-reasoner","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":3,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000020_znv3znvh7kea8x5alq26', 1794955591076, 'sandbox', 'route.created', 'sandbox-tools/routes/sandbox-openai', NULL, '{"model":"sandbox-tools","supplier":"sandbox-openai","upstream_model":"sandbox-tools","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":1,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000021_fcxlf5nvmyz4ebwhr15j', 1794955591077, 'sandbox', 'route.created', 'sandbox-tools/routes/sandbox-anthropic', NULL, '{"model":"sandbox-tools","supplier":"sandbox-anthropic","upstream_model":"sandbox-tools","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":2,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000022_gi5cqwtveuipp61tvw28', 1794955591078, 'sandbox', 'route.created', 'sandbox-tools/routes/sandbox-google', NULL, '{"model":"sandbox-tools","supplier":"sandbox-google","upstream_model":"sandbox-tools","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":3,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000023_5ubkt5jutkz43bch1obh', 1794955591078, 'sandbox', 'route.created', 'sandbox-slow/routes/sandbox-openai', NULL, '{"model":"sandbox-slow","supplier":"sandbox-openai","upstream_model":"sandbox-slow","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":1,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000024_dqqh97jotvw2lq53j0ek', 1794955591079, 'sandbox', 'route.created', 'sandbox-flaky/routes/sandbox-openai', NULL, '{"model":"sandbox-flaky","supplier":"sandbox-openai","upstream_model":"sandbox-flaky","formats":null,"price":{"input":"0.5","output":"1.5","cache_read":"0.05","cache_write":"0.5","image":"0"},"rpm":null,"tpm":null,"priority":1,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000025_7mz7ep5b08641um4bpat', 1794955591080, 'sandbox', 'route.created', 'sandbox-image/routes/sandbox-openai', NULL, '{"model":"sandbox-image","supplier":"sandbox-openai","upstream_model":"sandbox-image","formats":["images"],"price":{"input":"0","output":"0","cache_read":"0","cache_write":"0","image":"0.02"},"rpm":null,"tpm":null,"priority":1,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000026_x9z0y6c2laxco5nv13ak', 1794955591080, 'sandbox', 'route.created', 'sandbox-image/routes/sandbox-google', NULL, '{"model":"sandbox-image","supplier":"sandbox-google","upstream_model":"sandbox-image","formats":["content-generation"],"price":{"input":"0","output":"0","cache_read":"0","cache_write":"0","image":"0.02"},"rpm":null,"tpm":null,"priority":2,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000027_objhb1jia16qhaovuhv9', 1794955591080, 'sandbox', 'route.created', 'sandbox-image-base64/routes/sandbox-openai', NULL, '{"model":"sandbox-image-base64","supplier":"sandbox-openai","upstream_model":"sandbox-image-base64","formats":["images"],"price":{"input":"5","output":"30","cache_read":"1.25","cache_write":"5","image":"0"},"rpm":null,"tpm":null,"priority":1,"enabled":true}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000028_sd5jp512rn4s8kd591ek', 1794955591142, 'first-start', 'account.created', 'acc_dbr268smxmqxt8ys0iwr', NULL, '{"id":"acc_dbr268smxmqxt8ys0iwr","name":"First account","email":null,"earned_tier":"Starter","tier_assignment":null,"total_paid":"0","credit_line":"0","balance_alert":null,"created_at":"2026-11-17T22:46:31.142Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000029_e5oztkhwhyoqyazjob3p', 1794955591151, 'first-start', 'account.changed', 'acc_dbr268smxmqxt8ys0iwr', '{"id":"acc_dbr268smxmqxt8ys0iwr","name":"First account","email":null,"earned_tier":"Starter","tier_assignment":null,"total_paid":"0","credit_line":"0","balance_alert":null,"created_at":"2026-11-17T22:46:31.142Z"}', '{"id":"acc_dbr268smxmqxt8ys0iwr","name":"First account","email":null,"earned_tier":"Starter","tier_assignment":null,"total_paid":"0","credit_line":null,"balance_alert":null,"created_at":"2026-11-17T22:46:31.142Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000030_mti4t1xnh7bfyrxhxz3u', 1794955591157, 'first-start', 'key.created', 'key_gs30a2x7gt0ifkwizlmo', NULL, '{"name":"First key","route_policy":{"mode":"intelligent"},"usage_limit":null,"rpm":null,"tpm":null,"model_allowlist":null,"budget":null,"expires_at":null,"shared_fallback":false,"id":"key_gs30a2x7gt0ifkwizlmo","account_id":"acc_dbr268smxmqxt8ys0iwr","state":"active","created_at":"2026-11-17T22:46:31.157Z","last_four":"0001"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000001_f6ny11ut211kdkoza93o', 1794955591814, 'first-start', 'user.created', 'usr_06yl8qe948r8jd998g41', NULL, '{"email":"admin@localhost","is_operator":true,"accounts":["acc_dbr268smxmqxt8ys0iwr"]}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000032_9wtqm1j5ecxhwow3qsvs', 1794955592204, 'operator', 'account.created', 'acc_woaxvk7fnjbrwswzdw6y', NULL, '{"id":"acc_woaxvk7fnjbrwswzdw6y","name":"Acme","email":"billing@acme.example","earned_tier":"Starter","tier_assignment":null,"total_paid":"0","credit_line":"0","balance_alert":null,"created_at":"2026-11-17T22:46:32.204Z"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000033_rjhafg2bgq5zr9exf1wt', 1794955592270, 'operator', 'payment.recorded', 'acc_woaxvk7fnjbrwswzdw6y', '{"total_paid":"0"}', '{"total_paid":"10","payment":"pay_5zen2dfvf19fg4lpnd0f","amount":"10","reference":"invoice-1","note":null}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000034_xqx522qjrxxehm7626hu', 1794955592327, 'operator', 'refund.recorded', 'acc_woaxvk7fnjbrwswzdw6y', NULL, '{"refund":"ref_ijsca5ul6rg1tqqm5jwy","amount":"1.5","reference":"refund-1","reason":"asked for"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000035_9rdtehcknprq4gsr2lwh', 1794955592355, 'operator', 'supplier.created', 'acme', NULL, '{"id":"acme","type":"openai-compatible","base_url":"https://api.example.com/v1","formats":["chat-completion"],"source":"shared","account_id":null,"enabled":true,"options":{},"timeouts":{"connect_seconds":null,"first_byte_seconds":null,"idle_seconds":null}}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000036_5x1iimx7oj33bozdhpsi', 1794955592387, 'operator', 'credential.added', 'cred_o2cx9bht6ba9siry94nq', NULL, '{"id":"cred_o2cx9bht6ba9siry94nq","supplier":"acme","label":null,"rpm":null,"tpm":null,"weight":1,"state":"active","last_four":"test"}');
insert into "audit_events" ("id", "at_ms", "actor", "action", "subject", "before_change", "after_change") values ('aud_0000000037_1y20bxctpxg2hp0z2hr9', 1794955592422, 'operator', 'key.created', 'key_33ljojbtdckh8o7jaltg', NULL, '{"name":"ci","route_policy":{"mode":"intelligent"},"usage_limit":null,"rpm":60,"tpm":null,"model_allowlist":null,"budget":null,"expires_at":null,"shared_fallback":false,"id":"key_33ljojbtdckh8o7jaltg","account_id":"acc_woaxvk7fnjbrwswzdw6y","state":"active","created_at":"2026-11-17T22:46:32.422Z","last_four":"le6X"}');
insert into "kept_replies" ("account_id", "id", "created_at_ms", "expires_at_ms", "sealed_content") values ('acc_woaxvk7fnjbrwswzdw6y', 'resp_sandbox_1794955591081004', 1794955592723, 1797547592723, 'v2.7Z3H2Y5tM93HceXulkgJgekOBCKRK4bNZyClKN5hn7oV72IPuPDxLLDXJztdWsBcfQdkTLQ510E37x2BOgIiM4ry5rn7rJxgKuvTcjc6GkNsjXNbJ0s3-7FYljYGYjfP6mHMCZ7yw7KKtCwaAp3L-cDzMJYrz1ao4MXNy-Xf0yB9M1dv8l7slhMNHlgASqj7qm_YV5xMD5tGJRaqFBH_x1IwFSz6emEYfq0wYaLfUwufQ28Q-cKWzWxkZ8glEkXkdEqnkT8Dc-NahunSZ4kcGLJ5hVmyWhrtMVESCDH7IBws_7h2qZMIAX3FxP6_a4_9MbUMsoJk3RZSyUUMnggQLJ_lXIl9C1TDxMsomdYJlDvwjvxZXQk-eFiHBAKAmjvgS3oYagPoxi7GS9WaPLK1Td3kDkqZeGqNvuv2TUsfVCU_eaw3KPL8-SWOACqhpz9jChX1gEYW7nQcK6XDuipfORSPD_qPp1VaxsDZDruw0qw28R9KehO3IYlWT_s7jsW-addplxpIJoOVL0U_utyo8ri1JvCRQsDY6Ll-DVpdFDZUEeD8W168MHL0TxfzrD5Whg_hBpma9hlecnbH2fTVZfAfI0j0tnh11Bgt77thFXKT0bCOKjhomE_lLNLP8TZ-MSprSTAyRk16F8VhPL95WwzIW7_pY5NekCsRmTKheY4kfACV2W_9MBGhCqu4NBdDJZD3ADPcfNXk-vN-1bIIlQ36xq1ivB0zSGi8lbYlRKp0GRdSc9or5XZ-3OchIhtbhg0o-VmIPAWcVkcTP90Aa9rY4wF4aH7vHYvoxqz9gtmBDoCzcLYOWptsWMu0EbneDlYiNXd5hrwx1zZxMm2grlkqoh6kdk9MZibe3hMxSgUcGuX05xZ06WOPmJjNH0buYz2oLNGx4yKO2VZcbvUnrNKW3KKuu0jxMS8H-b_y2lFfL5165M8AqG2zopT6a18ZcrHV8OSRj5f3Q9_htniV4Ho5FgWaVV6PePFzYbJL05-odQvz3k9_U0G3yZ3JbMafbTlCOlkUd5qck8MPHMfgS8l22ydDn9yMbcoWcYDedkd5TVkYPhIqBuVJck8U3J8iNk6hfQdx_3w-F_3pt5DdpuE4q6B_2syMZNoUZmoQKJS69FkQgqGWw4h731uBu0MOUqEAyLLiUpUuXmqIdL39zbb6GtwcMAHM1M3UpHzvrShoj9UgKZuDMAylJVDq2ASzrNs8apKFKE2CXQIP71JraEMFCtg5euwtdNUEZK5vSZs1IYxfgVjVFq_qNXA_RBrF1b1t73qIu3xb8WFE3PsFxc6J4SGjklz7lgaKmgiF6Jp6uS9DLd0x0gPMoXn09T22mOcgFkomnOx5q4ILv6QDt3xSzIiqjM0tZkqyA0SNrIM3ubJTUiK-bDxETbif3CT59EtEyhhYEomSoVA_qYQ-zkxnsJTcGUZOkP4nKlxY9ZzPK7tlUBp1fMn6NXM');
insert into "kept_reply_items" ("account_id", "item_id", "reply_id", "sealed_item") values ('acc_woaxvk7fnjbrwswzdw6y', 'msg_sandbox_1794955591081004_0', 'resp_sandbox_1794955591081004', 'v2.CdMOFBlpATeYdOqkw5cWZaE-vMR3soKOPH19Qzxl-wis1BsWWex51G_0U7K_Kwge_3V7CfDNjEfNvGManCn1tSAEdcVmrZ-Unf91SxHQsIVP8uchUMNaTdUY3_yS0EMy20_Fe-sPJBgu4wi-scuViv_G5jzxDicEuk28Bpav330EL0plUIQE8RVBiZwqOY30iqmk4oeyPoeYLkX8fcmoFZB5goOWOsoDfv_vXeHhXEiy7z-xXLiXGsrnjGREv23fLFBOSrabPwY_2k1e3fdjuCUU0N3U2apRRyF4Atyv-OAWrynk9RxAlWGlfoBkX7fwDwQ3kUt3Yg');
insert into "server_keys" ("name", "sealed_key") values ('fingerprint', 'v2.ETjEV944jEJorCE5GxZ0embFXryLrH42S02gAsloXIj1yXWj5wNQvQi4TxWs8uTcgi2HHDpf2TnAo7AbAjlZzv3sUH6D9KA');
insert into "refunds" ("id", "account_id", "reference", "amount_nano", "reason", "at_ms") values ('ref_ijsca5ul6rg1tqqm5jwy', 'acc_woaxvk7fnjbrwswzdw6y', 'refund-1', 1500000000, 'asked for', 1794955592327);
insert into "scheduled_jobs" ("name", "last_run_ms") values ('tiers', 1794955591859);
insert into "posted_entries" ("kind", "id", "account_id", "amount_nano", "request_id", "reference", "note", "at_ms") values ('payment', 'pay_5zen2dfvf19fg4lpnd0f', 'acc_woaxvk7fnjbrwswzdw6y', 10000000000, NULL, 'invoice-1', NULL, 1794955592270);
insert into "posted_entries" ("kind", "id", "account_id", "amount_nano", "request_id", "reference", "note", "at_ms") values ('refund', 'ref_ijsca5ul6rg1tqqm5jwy', 'acc_woaxvk7fnjbrwswzdw6y', -1500000000, NULL, 'refund-1', 'asked for', 1794955592327);
insert into "usage_totals" ("span", "start_ms", "account_id", "key_id", "model", "supplier", "completed", "client_left", "supplier_failed", "refused", "interrupted", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "images", "amount_nano", "first_bytes", "first_byte_ms", "duration_ms") values ('hour', 1794952800000, 'acc_woaxvk7fnjbrwswzdw6y', 'key_33ljojbtdckh8o7jaltg', 'sandbox-chat', 'sandbox-openai', 4, 0, 0, 0, 0, 12, 0, 0, 48, 0, 0, 78000, 4, 197, 203);
insert into "usage_totals" ("span", "start_ms", "account_id", "key_id", "model", "supplier", "completed", "client_left", "supplier_failed", "refused", "interrupted", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "images", "amount_nano", "first_bytes", "first_byte_ms", "duration_ms") values ('day', 1794873600000, 'acc_woaxvk7fnjbrwswzdw6y', 'key_33ljojbtdckh8o7jaltg', 'sandbox-chat', 'sandbox-openai', 4, 0, 0, 0, 0, 12, 0, 0, 48, 0, 0, 78000, 4, 197, 203);
insert into "settlement_horizon" ("only_row", "gone_before_ms") values (1, 0);
insert into "users" ("id", "email", "name", "password_hash", "is_operator", "is_disabled", "is_email_verified", "outside_id", "created_at_ms", "device_generation") values ('usr_06yl8qe948r8jd998g41', 'admin@localhost', 'Administrator', '$argon2id$v=19$m=19456,t=2,p=1$q9hilnP7QSX+3rhAyNPf0fe3FT61pCnePu46AEiCmzQ$d2oe9VFYvhKSidhdyAbj6hcFXYsVJskr00nfbI3cPAU', 1, 0, 1, NULL, 1794955591814, 0);
insert into "memberships" ("user_id", "account_id", "role") values ('usr_06yl8qe948r8jd998g41', 'acc_dbr268smxmqxt8ys0iwr', 'owner');
insert into "configuration_version" ("only_row", "version") values (1, 37);
insert into "reply_turns" ("turn_id", "account_id", "reply_id", "previous_turn_id", "links", "children", "created_at_ms", "size_bytes", "item_bytes", "pieces") values ('f1f48200-f15c-4a6e-b04a-2b0406db9554', 'acc_woaxvk7fnjbrwswzdw6y', 'resp_sandbox_1794955591081004', NULL, 0, 0, 1794955592723, 1470, 333, 0);
insert into "kept_reply_bytes" ("account_id", "size_bytes") values ('acc_woaxvk7fnjbrwswzdw6y', 1803);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('server_keys', 'sealed_key', 1794955590857);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('credentials', 'sealed_secret', 1794955590860);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('alert_webhooks', 'sealed_secret', 1794955590861);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('user_factors', 'sealed_secret', 1794955590863);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('kept_replies', 'sealed_content', 1794955590865);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('kept_reply_pieces', 'sealed_piece', 1794955590866);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('kept_reply_items', 'sealed_item', 1794955590867);
insert into "sealed_columns" ("table_name", "column_name", "bound_at_ms") values ('kept_bodies', 'sealed_content', 1794955590868);
CREATE INDEX settlements_of_account on settlements (account_id, started_at_ms);
CREATE INDEX settlements_of_key on settlements (key_id, started_at_ms);
CREATE INDEX settlements_of_model on settlements (model, started_at_ms);
CREATE INDEX audit_events_by_time on audit_events (at_ms, id);
CREATE INDEX kept_replies_expiry on kept_replies (expires_at_ms);
CREATE INDEX kept_reply_items_of_reply on kept_reply_items (account_id, reply_id);
CREATE INDEX settlements_by_time on settlements (started_at_ms);
CREATE INDEX payments_of_account on payments (account_id, at_ms, id);
CREATE INDEX posted_entries_of_account on posted_entries (account_id, at_ms, id);
CREATE INDEX settlements_of_account_by_end
    on settlements (account_id, (cast(started_at_ms + duration_ms as bigint)));
CREATE INDEX alerts_by_time on alerts (at_ms, id);
CREATE INDEX alerts_of_account on alerts (account_id, at_ms, id);
CREATE INDEX alerts_due on alerts (due_at_ms) where delivery = 'pending';
CREATE INDEX key_daily_spend_of_day on key_daily_spend (day);
CREATE INDEX carried_settlements_by_time on carried_settlements (account_id, at_ms);
CREATE INDEX carried_settlements_of_day on carried_settlements (day);
CREATE VIEW ledger_entries (kind, id, account_id, amount_nano, request_id, reference, note, at_ms) as
    select kind, id, account_id, amount_nano, request_id, reference, note, at_ms from posted_entries
    union all
    select cast('settlement' as text), request_id, account_id, cast(-amount_nano as bigint), request_id,
      cast(null as text), cast(null as text), cast(started_at_ms + duration_ms as bigint)
    from settlements where amount_nano <> 0
    union all
    select cast('settlement' as text), cast('carried_' || key_id || '_' || day as text), account_id,
      cast(-amount_nano as bigint), cast(null as text), cast(null as text),
      cast('the sum of ' || settlements || ' settlements of ' || key_id as text), at_ms
    from carried_settlements where amount_nano <> 0;
CREATE INDEX users_by_age on users (created_at_ms, id);
CREATE INDEX memberships_of_account on memberships (account_id);
CREATE INDEX sessions_of_user on sessions (user_id);
CREATE INDEX sessions_by_end on sessions (ends_at_ms);
CREATE INDEX kept_bodies_by_age on kept_bodies (account_id, created_at_ms);
CREATE INDEX settlements_of_account_by_outcome
    on settlements (account_id, outcome, started_at_ms, key_id, model) where outcome <> 'completed';
CREATE INDEX usage_totals_of_account on usage_totals (account_id, span, start_ms, model);
CREATE UNIQUE INDEX posted_entries_of_adjustment on posted_entries (account_id, reference)
    where kind = 'adjustment' and reference is not null;
CREATE INDEX reply_turns_of_previous on reply_turns (previous_turn_id);
CREATE INDEX reply_turns_by_age on reply_turns (account_id, children, created_at_ms);
