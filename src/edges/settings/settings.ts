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
  readonly logLevel: (typeof LOG_LEVEL_NAMES)[number]
  readonly maxBodyBytes: number
  /** How long a client may take to send its body. */
  readonly bodyTimeoutSeconds: number
  /** How long a supplier may take to its first byte. */
  readonly firstByteTimeoutSeconds: number
  /** How long a supplier may be silent in the middle of an answer. */
  readonly idleTimeoutSeconds: number
  readonly heartbeatSeconds: number
  /** How long streams may go on after the process was asked to stop. */
  readonly shutdownSeconds: number
  readonly journalFsync: 'never' | 'always'
}
