import { OTHER_NAMES } from './known-names.ts'

/** What a setting is for, in Markdown. Links are relative to `docs/reference/`. */
export interface SettingDescription {
  readonly name: string
  readonly meaning: string
  /** In words, where the default depends on the machine or is no single value. */
  readonly fallback?: string
}

export interface SettingGroup {
  readonly title: string
  readonly settings: readonly SettingDescription[]
}

/**
 * Describes every setting. `npm run docs` writes docs/reference/settings.md from it, with the defaults and the allowed values
 * that `readSettings` uses.
 */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  group('Address and data', [
    ['PORT', 'Port to listen on. 0 chooses a free one.'],
    ['HOST', 'Address to listen on. Use `0.0.0.0` to accept connections from other machines.', '127.0.0.1'],
    [
      'TURNPIKE_PUBLIC_URL',
      'The address at which clients reach the gateway. Used for image URLs, OpenID Connect sign-in and secure cookies.',
      'the host that each request names',
    ],
    [
      'TURNPIKE_DATA',
      'Folder for the embedded database, the journal and generated secrets. Used by only one gateway.',
      './data',
    ],
    ['DATABASE_URL', '`postgres://user:password@host:port/database`: PostgreSQL instead of SQLite.'],
  ]),
  group('Secrets and access', [
    [
      'TURNPIKE_SECRET',
      'Encrypts credentials and hashes API keys ([server secret](../operations/server-secret.md)). Required with `DATABASE_URL`.',
      'generated into the data folder',
    ],
    [
      'TURNPIKE_OPERATOR_TOKEN',
      'Bearer token of the operator API. Create one with `openssl rand -hex 32`.',
      'generated, printed once',
    ],
    ['TURNPIKE_BOOTSTRAP_KEY', 'First API key of the first account.', 'generated, printed once'],
    [
      OTHER_NAMES.newSecret,
      'For `turnpike secret rotate` only ([server secret](../operations/server-secret.md)).',
    ],
    ['TURNPIKE_SIGN_UP', 'Whether anyone can sign up in the console.'],
    [
      'TURNPIKE_WELCOME_CREDIT',
      'Amount that an account gets once when its owner [signs up](../money/payments.md#welcome-credit), such as `0.5`; at most 1000.',
      '0',
    ],
    [
      'TURNPIKE_CURRENCY_NAME',
      'What people call the [currency of amounts](../money/prices.md#the-name-of-the-currency): 1 to 12 visible characters.',
    ],
    [
      'TURNPIKE_RECEIPT_TEXT',
      'Printed on [receipts](../money/payments.md#receipts): name, address and tax number of the seller, with `\\n` between lines.',
    ],
    [
      'TURNPIKE_OIDC_ISSUER',
      'Issuer for [OpenID Connect](../console/console-sign-in.md) sign-in to the console. Needs the client id and secret.',
    ],
    ['TURNPIKE_OIDC_CLIENT_ID', 'Client id at that provider.'],
    ['TURNPIKE_OIDC_CLIENT_SECRET', 'Client secret at that provider.'],
    ['TURNPIKE_OIDC_NAME', 'Name of the provider on the sign-in page.', 'Single sign-on'],
  ]),
  group('Suppliers', [
    [
      'TURNPIKE_SUPPLY',
      'The [supply file](../suppliers/supply-file.md); `off` for none.',
      './supply.yaml, if it exists',
    ],
    [
      'TURNPIKE_SANDBOX',
      'The [built-in supplier](../suppliers/sandbox.md). `auto`: on while no other supplier is configured.',
    ],
    ['TURNPIKE_CONNECT_TIMEOUT_SECONDS', 'How long a connection to a supplier may take.'],
    ['TURNPIKE_FIRST_BYTE_TIMEOUT_SECONDS', 'How long a supplier may take until its first byte.'],
    [
      'TURNPIKE_IDLE_TIMEOUT_SECONDS',
      'How long a supplier may be silent in the middle of an answer, and how long a client may stop reading.',
    ],
    [
      'HTTPS_PROXY',
      'Sends calls to suppliers through a proxy. `HTTP_PROXY` and the lower-case names work too.',
    ],
  ]),
  group('Clients and requests', [
    [
      'TURNPIKE_REQUEST_DEADLINE_SECONDS',
      'How long a client may wait for the first byte, over all attempts.',
    ],
    ['TURNPIKE_HEARTBEAT_SECONDS', 'How long a stream may be silent before the gateway sends a heartbeat.'],
    ['TURNPIKE_BODY_TIMEOUT_SECONDS', 'How long a client may take to send its body.'],
    ['TURNPIKE_MAX_BODY_BYTES', 'Largest request body.'],
    [
      'TURNPIKE_MAX_UPLOAD_BYTES',
      'Largest upload of [images](../clients/images.md) or [audio](../clients/audio.md). Temporary storage holds sixteen of them.',
    ],
    [
      'TURNPIKE_MAX_HELD_BODY_BYTES',
      'Request bodies that one process holds in memory ([limits](../money/limits.md#memory-for-request-bodies)).',
      'a quarter of the memory, at most 512 MiB',
    ],
    ['TURNPIKE_MAX_HELD_BODY_BYTES_PER_ACCOUNT', 'The same for one account.', 'half of that'],
    [
      'TURNPIKE_MAX_CONNECTIONS',
      'Client connections per process. Beyond that, idle connections are closed to make room ([open files](../operations/deploy.md#connections-and-open-files)).',
      'half of the open-file limit, at most 50000',
    ],
    [
      'TURNPIKE_MAX_CONNECTIONS_PER_ADDRESS',
      'Connections from one address, or one /64 network of IPv6. Loopback is exempt.',
    ],
    [
      'TURNPIKE_TRUSTED_PROXIES',
      'Addresses and networks of proxies, such as `10.0.0.5,10.1.0.0/16`. The gateway trusts their `X-Forwarded-For` and exempts them from the limit per address.',
    ],
    [
      'TURNPIKE_STORED_BYTES_PER_ACCOUNT',
      "Maximum size of an account's [stored responses](../clients/responses.md#stored-responses). The oldest are deleted first; 0 for unlimited.",
    ],
    [
      'TURNPIKE_BACKGROUND_PER_ACCOUNT',
      '[Background responses](../clients/responses.md#background-responses) an account may have under way on all nodes; 0 refuses them.',
    ],
    ['TURNPIKE_BACKGROUND_PER_NODE', 'Background responses one process makes at a time.'],
    ['TURNPIKE_ASSET_HOURS', 'How long [image](../clients/images.md) URLs work.'],
    ['TURNPIKE_ASSET_STORE', 'Where images are stored: `folder` or `s3://bucket/prefix`.', 'folder'],
    [
      'TURNPIKE_S3_ENDPOINT',
      'Address of an S3-compatible store, for images and [sinks](../monitoring/sinks.md).',
      "Amazon's own",
    ],
    [
      'AWS_ACCESS_KEY_ID',
      'Access key for buckets, with `AWS_SECRET_ACCESS_KEY`, and `AWS_SESSION_TOKEN` and `AWS_REGION` if needed.',
    ],
  ]),
  group('Money', [
    [
      'TURNPIKE_PAYMENT_WEBHOOK_SECRET',
      'Enables `POST /webhooks/payments` for callers that sign with this secret ([payments](../money/payments.md)).',
    ],
    ['TURNPIKE_TIER_DOWNGRADE', 'Lowers a [tier](../money/tiers.md) the account no longer earns.'],
    ['TURNPIKE_TIER_GRACE_DAYS', 'How long an account keeps such a tier.'],
    [
      'TURNPIKE_SETTLEMENT_DAYS',
      'How many days settlement details are kept ([usage](../money/usage.md)).',
      'forever',
    ],
  ]),
  group('Several processes and nodes', [
    [
      'TURNPIKE_WORKERS',
      'Processes that share one port on this machine; `auto` is one for each processor ([workers](../operations/workers.md)).',
    ],
    [
      'REDIS_URL',
      'Shares limits, holds and balances between nodes: `redis://…`, `redis+sentinel://…`, `redis+cluster://…` ([Redis](../operations/redis.md)). Needs `DATABASE_URL`.',
    ],
    [
      'TURNPIKE_REDIS_LOSS',
      "While Redis does not answer: `local` enforces this node's share of each limit, `refuse` refuses requests ([shared limits](../operations/shared-limits.md)).",
    ],
    ['TURNPIKE_REDIS_DEADLINE_MS', 'How long Redis may take to answer.'],
    ['TURNPIKE_NODE_NAME', 'The name of this node for operators.', "the machine's name"],
    [
      'TURNPIKE_NODE_LEASE_SECONDS',
      'How long after its last heartbeat a node counts as dead ([nodes](../operations/nodes.md)).',
    ],
    [
      'TURNPIKE_DRAIN_SECONDS',
      'How long new requests are still served after a signal to stop, so that load balancers notice.',
    ],
    ['TURNPIKE_SHUTDOWN_SECONDS', 'How long streams may continue after a signal to stop.'],
    [
      'TURNPIKE_JOURNAL_FSYNC',
      'With `always`, a power cut loses no answered request, also with SQLite ([the journal](../operations/nodes.md#the-journal)).',
    ],
    [
      'TURNPIKE_JOURNAL_MAX_BYTES',
      'How much may wait while the database is unavailable before requests are refused.',
    ],
    ['TURNPIKE_JOURNAL_MAX_AGE_SECONDS', 'How long settlements may wait for it.'],
  ]),
  group('Monitoring', [
    [
      'TURNPIKE_METRICS_TOKEN',
      'Bearer token that reads [`/metrics`](../monitoring/metrics.md) and nothing else.',
      'only the operator token reads them',
    ],
    [
      'TURNPIKE_METRICS_PORT',
      'Serves `/metrics` on a port of its own as well. Needs the metrics token, unless its host is loopback.',
    ],
    ['TURNPIKE_METRICS_HOST', 'Address for that port.', 'as `HOST`'],
    [
      'TURNPIKE_METRICS_ACCOUNTS',
      'How many accounts have [metrics of their own](../monitoring/metrics.md#accounts).',
    ],
    [
      'TURNPIKE_PROFILING',
      'Lets operators take [CPU profiles and heap snapshots](../monitoring/profiling.md).',
    ],
    ['TURNPIKE_LOG_LEVEL', 'Which [log lines](../monitoring/logs.md) are written to standard error.'],
    ['TURNPIKE_LOG_FORMAT', '`auto`: pretty on a terminal, JSON elsewhere.'],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'Where traces, metrics and logs are sent. The other `OTEL_…` variables are on the page [OpenTelemetry](../monitoring/opentelemetry.md).',
    ],
    [
      'TURNPIKE_OTEL_CONTENT',
      'Prompts and answers in spans: none, those of accounts that store their bodies, or all.',
    ],
    ['TURNPIKE_OTEL_TRACEPARENT', 'Whether suppliers are sent a `traceparent` while requests are traced.'],
    [
      'TURNPIKE_SMTP_URL',
      'Mail server for [alerts](../monitoring/alerts.md#channels-for-operators) to operators, such as `smtps://user:password@host`.',
    ],
    ['TURNPIKE_MAIL_FROM', 'Sender of these mails. Required with the mail server.'],
    [
      'TURNPIKE_WEBHOOK_ALLOW_PRIVATE',
      'Allows [alert](../monitoring/alerts.md) webhooks in private networks.',
    ],
  ]),
]

type Row = readonly [name: string, meaning: string, fallback?: string]

function group(title: string, rows: readonly Row[]): SettingGroup {
  const settings = rows.map(([name, meaning, fallback]) => ({
    name,
    meaning,
    ...(fallback !== undefined && { fallback }),
  }))
  return { title, settings }
}
