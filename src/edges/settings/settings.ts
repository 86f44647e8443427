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

export const LOG_LEVEL_NAMES = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Everything the environment decides; docs and README carry the same table. */
export interface Settings {
  readonly port: number
  readonly hostname: string
  /** Where clients reach this gateway; null: where their requests say they were sent. */
  readonly publicUrl: string | null
  readonly dataFolder: string
  /** null: SQLite in the data folder. */
  readonly databaseUrl: string | null
  /** null: limits are kept by this process alone. */
  readonly redisUrl: string | null
  /** What to do while Redis does not answer: judge by this node's share of each limit, or refuse. */
  readonly redisLoss: 'local' | 'refuse'
  /** For how long Redis may be silent when it is asked. */
  readonly redisDeadlineMs: number
  /** What operators call this node; null: by the name of the machine. */
  readonly nodeName: string | null
  /** After how long a silent node counts as gone. */
  readonly nodeLeaseSeconds: number
  /** How many processes serve on one port. */
  readonly workers: number
  /** How many connections of clients one process takes; null: as many as its descriptors allow. */
  readonly maxConnections: number | null
  readonly maxConnectionsPerAddress: number
  /** Addresses and networks of proxies: their `x-forwarded-for` is believed, and the limit per address does not apply. */
  readonly trustedProxies: readonly string[]
  readonly serverSecret: string | null
  readonly operatorToken: string | null
  readonly bootstrapKey: string | null
  readonly sandbox: 'auto' | 'on' | 'off'
  /** The file that says what the supply should be; null: none, whatever lies in the folder. */
  readonly supplyFile: {
    readonly path: string
    /** Whether this very file was asked for; the usual one may be absent. */
    readonly isRequired: boolean
    /** What `${NAME}` in the file stands for. */
    readonly variables: Readonly<Record<string, string | undefined>>
  } | null
  readonly logLevel: (typeof LOG_LEVEL_NAMES)[number]
  readonly maxBodyBytes: number
  /** Of a form with files, which goes to disk and not to memory. */
  readonly maxUploadBytes: number
  /** Of all request bodies that one process holds in memory. */
  readonly maxHeldBodyBytes: number
  /** The same of one account. */
  readonly maxHeldBodyBytesPerAccount: number
  /** How long a client may take to send its body. */
  readonly bodyTimeoutSeconds: number
  /** Whether the environment sends outgoing calls through a proxy. */
  readonly isProxied: boolean
  /** How long a connection to a supplier may take. */
  readonly connectTimeoutSeconds: number
  /** How long a client may wait for the first byte, over all attempts. */
  readonly requestDeadlineSeconds: number
  /** How long a supplier may take to its first byte. */
  readonly firstByteTimeoutSeconds: number
  /** How long a supplier may be silent in the middle of an answer. */
  readonly idleTimeoutSeconds: number
  readonly heartbeatSeconds: number
  /** How long streams may go on after the process was asked to stop. */
  readonly shutdownSeconds: number
  /** How long new requests are still taken after the process was asked to stop, while balancers notice. */
  readonly drainSeconds: number
  /** How much may wait in the journal for the database before no more is admitted. */
  readonly journalMaxBytes: number
  /** How long settlements may wait in the journal before no more is admitted. */
  readonly journalMaxAgeSeconds: number
  readonly journalFsync: 'never' | 'always'
  /** Whether an earned tier that is not paid for any more is lowered, after the grace period. */
  readonly tierDowngrade: 'on' | 'off'
  readonly tierGraceDays: number
  /** How many days the details of settlements are kept; null: for ever. */
  readonly settlementDays: number | null
  /** How much of stored responses an account may have; null: any amount. */
  readonly storedBytesPerAccount: number | null
  /** What payment processors sign with; null: they have no endpoint. */
  readonly paymentWebhookSecret: string | null
  /** Whether webhooks of accounts may lead to addresses that are not public. */
  readonly webhookAllowPrivate: 'on' | 'off'
  /** How long an image can be fetched by its address. */
  readonly assetHours: number
  /** null: a folder in the data folder. */
  readonly assetBucket: AssetBucket | null
  /** Whether strangers may make themselves a user and an account in the console. */
  readonly signUp: 'on' | 'off'
  /** The provider people may sign in to the console with; null: none. */
  readonly oidc: {
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret: string
    readonly name: string
  } | null
  /** Keys of vendors the built-in catalog knows. */
  readonly vendorKeys: readonly VendorKey[]
}

/** A setting that cannot be used. Its message is one line: the variable, what it got, what it takes. */
export class SettingError extends Error {}
