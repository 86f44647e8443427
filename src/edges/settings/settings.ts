import type { VendorKey } from '../../rules/catalog/built-in/vendor-supply.ts'

export const LOG_LEVEL_NAMES = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Everything the environment decides; docs and README carry the same table. */
export interface Settings {
  readonly port: number
  readonly hostname: string
  readonly dataFolder: string
  /** null: SQLite in the data folder. */
  readonly databaseUrl: string | null
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
  readonly journalFsync: 'never' | 'always'
  /** Whether an earned tier that is not paid for any more is lowered, after the grace period. */
  readonly tierDowngrade: 'on' | 'off'
  readonly tierGraceDays: number
  /** What payment processors sign with; null: they have no endpoint. */
  readonly paymentWebhookSecret: string | null
  /** Keys of vendors the built-in catalog knows. */
  readonly vendorKeys: readonly VendorKey[]
}
