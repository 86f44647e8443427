import type { VendorKey } from '../../rules/catalog/built-in/vendor-supply.ts'

/** A bucket of an S3-compatible store, and the keys for it. */
export interface AssetBucket {
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  /** null: Amazon's own, by region. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** The keys for buckets. */
export type BucketAccess = Omit<AssetBucket, 'bucket' | 'prefix'>

/** Where one kind of telemetry goes. */
export interface OtelSignal {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly compression: 'none' | 'gzip'
}

/** What waits to be sent. When more than `maxItems` wait, new ones are dropped. */
export interface OtelQueue {
  readonly delayMs: number
  readonly timeoutMs: number
  readonly maxItems: number
  readonly maxBatch: number
}

/** OpenTelemetry. */
export interface OtelSettings {
  /** Null for what is not sent; the same for the others. */
  readonly traces: OtelSignal | null
  readonly metrics: OtelSignal | null
  readonly logs: OtelSignal | null
  readonly serviceName: string | null
  readonly resourceAttributes: Readonly<Record<string, string>>
  readonly sampler:
    | 'always_on'
    | 'always_off'
    | 'traceidratio'
    | 'parentbased_always_on'
    | 'parentbased_always_off'
    | 'parentbased_traceidratio'
  /** The share of traces that the samplers by ratio record. */
  readonly samplerRatio: number
  /** Whether the `traceparent` of clients is read. */
  readonly continuesTraces: boolean
  /** Whether spans hold prompts and answers; `kept`: of accounts that store their bodies. */
  readonly content: 'off' | 'kept' | 'all'
  /** Whether suppliers are sent a `traceparent`. */
  readonly tellsSuppliers: boolean
  readonly metricIntervalMs: number
  readonly metricTimeoutMs: number
  readonly spanQueue: OtelQueue
  readonly logQueue: OtelQueue
}

export const LOG_LEVEL_NAMES = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Everything the environment configures. `setting-descriptions.ts` says what each variable is for. */
export interface Settings {
  readonly port: number
  readonly hostname: string
  /** The address at which clients reach this gateway; null: the host their requests name. */
  readonly publicUrl: string | null
  readonly dataFolder: string
  /** null: SQLite in the data folder. */
  readonly databaseUrl: string | null
  /** null: this process keeps limits in its own memory. */
  readonly redisUrl: string | null
  /** While Redis does not answer: enforce this node's share of each limit, or refuse requests. */
  readonly redisLoss: 'local' | 'refuse'
  /** How long Redis may take to answer. */
  readonly redisDeadlineMs: number
  /** The name of this node for operators; null: the name of the machine. */
  readonly nodeName: string | null
  /** How long after its last heartbeat a node counts as dead. */
  readonly nodeLeaseSeconds: number
  /** How many processes serve on one port. */
  readonly workers: number
  /** Maximum client connections per process; null: as many as its file descriptors allow. */
  readonly maxConnections: number | null
  readonly maxConnectionsPerAddress: number
  /** Addresses and networks of proxies. Their `x-forwarded-for` is trusted, and the limit per address does not apply. */
  readonly trustedProxies: readonly string[]
  readonly serverSecret: string | null
  readonly operatorToken: string | null
  readonly bootstrapKey: string | null
  readonly sandbox: 'auto' | 'on' | 'off'
  /** The supply file; null: none, even if the default file exists. */
  readonly supplyFile: {
    readonly path: string
    /** Whether the setting names this file. The default one may be absent. */
    readonly isRequired: boolean
    /** Values for `${NAME}` in the file. */
    readonly variables: Readonly<Record<string, string | undefined>>
  } | null
  /** A token that reads `/metrics` and nothing else; null: only the operator token does. */
  readonly metricsToken: string | null
  /** A separate port for `/metrics`; null: none. */
  readonly metricsPort: number | null
  readonly metricsHostname: string
  /** How many accounts have metrics of their own. */
  readonly metricsAccounts: number
  /** Whether operators may take CPU profiles and heap snapshots. */
  readonly profiling: 'on' | 'off'
  readonly logLevel: (typeof LOG_LEVEL_NAMES)[number]
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly logFormat: 'auto' | 'pretty' | 'json'
  /** null: nothing is exported. */
  readonly otel: OtelSettings | null
  readonly maxBodyBytes: number
  /** Limit for forms with files, which are written to disk. */
  readonly maxUploadBytes: number
  /** Limit for all request bodies that one process holds in memory. */
  readonly maxHeldBodyBytes: number
  /** The same for one account. */
  readonly maxHeldBodyBytesPerAccount: number
  /** How long a client may take to send its body. */
  readonly bodyTimeoutSeconds: number
  /** Whether the environment sends outgoing calls through a proxy. */
  readonly isProxied: boolean
  /** How long a connection to a supplier may take. */
  readonly connectTimeoutSeconds: number
  /** How long a client may wait for the first byte, over all attempts. */
  readonly requestDeadlineSeconds: number
  /** How long a supplier may take until its first byte. */
  readonly firstByteTimeoutSeconds: number
  /** How long a supplier may be silent in the middle of an answer. */
  readonly idleTimeoutSeconds: number
  readonly heartbeatSeconds: number
  /** How long streams may continue after a signal to stop. */
  readonly shutdownSeconds: number
  /** How long new requests are still served after a signal to stop, so that load balancers notice. */
  readonly drainSeconds: number
  /** How much may wait in the journal for the database before requests are refused. */
  readonly journalMaxBytes: number
  /** How long settlements may wait in the journal before requests are refused. */
  readonly journalMaxAgeSeconds: number
  readonly journalFsync: 'never' | 'always'
  /** Whether a tier that is no longer earned is lowered after the grace period. */
  readonly tierDowngrade: 'on' | 'off'
  readonly tierGraceDays: number
  /** How many days settlement details are kept; null: forever. */
  readonly settlementDays: number | null
  /** Maximum size of an account's stored responses; null: unlimited. */
  readonly storedBytesPerAccount: number | null
  /** How many background responses an account may have under way, on all nodes. */
  readonly backgroundPerAccount: number
  /** How many background responses one process makes at a time. */
  readonly backgroundPerNode: number
  /** The secret that payment processors sign with; null: the webhook endpoint is off. */
  readonly paymentWebhookSecret: string | null
  /** Whether alert webhooks may use private addresses. */
  readonly webhookAllowPrivate: 'on' | 'off'
  /** The mail server for alerts to operators; null: no mail is sent. */
  readonly mailServer: { readonly url: string; readonly from: string } | null
  /** How long an image can be fetched by its URL. */
  readonly assetHours: number
  /** null: a folder in the data folder. */
  readonly assetBucket: AssetBucket | null
  /** The keys for buckets that sinks write to; null when they are not set. */
  readonly bucketAccess: BucketAccess | null
  /** Whether anyone can sign up in the console. */
  readonly signUp: 'on' | 'off'
  /** What an account gets whose owner signs up; zero: nothing. */
  readonly welcomeCreditNano: bigint
  /** The OpenID Connect provider for the console; null: none. */
  readonly oidc: {
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret: string
    readonly name: string
  } | null
  /** What people call the currency of amounts. Names in the API, in metrics and in exports stay. */
  readonly currencyName: string
  /** What is printed on receipts, such as the name and address of the seller; null: nothing. */
  readonly receiptText: string | null
  /** API keys of vendors in the built-in catalog. */
  readonly vendorKeys: readonly VendorKey[]
}

/** An invalid setting. Its message is one line: the variable, its value, and what it must be. */
export class SettingError extends Error {}
