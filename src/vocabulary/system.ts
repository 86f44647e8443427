import { Type } from 'typebox'
import { choice, flag, id, integer, json, list, number, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'

/** One running process of the gateway. */
export const NodeRecord = shape('StoredNode', {
  /** Of this run of the process: the next one has another. */
  id: id('node'),
  /** What an operator calls it: by default the name of the machine. */
  name: text().example('gateway-1'),
  version: text().example('1.2.0'),
  startedAtMs: time(),
})
export type NodeRecord = Value<typeof NodeRecord>

export const SeenNode = NodeRecord.with('SeenNode', {
  /** Identifies the limits it shares with other nodes; null when it reaches none, or is too old to report it. */
  sharedLimitsId: text().nullable(),
  /** How long ago it was last heard of, by the clock of the database. */
  silentMs: integer(),
})
export type SeenNode = Value<typeof SeenNode>

const NodeStatus = NodeRecord.with('Node', {
  lastHeardAtMs: time(),
  isThis: flag().note('Whether it is the one that answers.'),
})

const DATABASE_ENGINES = ['sqlite', 'postgresql'] as const
export type DatabaseEngine = (typeof DATABASE_ENGINES)[number]

/** Null where the database does not answer. */
const DatabaseStatus = shape('DatabaseStatus', {
  engine: choice(DATABASE_ENGINES),
  isReachable: flag().as('reachable'),
  pingMs: number().nullable().example(0.4),
  sizeBytes: integer().nullable().example(1_048_576),
})
export type DatabaseStatus = Value<typeof DatabaseStatus>

const JournalStatus = shape('JournalStatus', {
  waiting: integer().example(0),
  oldestAtMs: time().nullable().example(null),
  bytes: integer().example(0),
  maxBytes: integer().example(1_073_741_824),
  maxAgeSeconds: integer().example(3_600),
  refusal: text().nullable().note('Why nothing more is admitted; null while there is room.').example(null),
})
export type JournalStatus = Value<typeof JournalStatus>

/** How a node enforces limits: with the shared ones, with its own part of them, or by refusing requests. */
export const SHARED_LIMITS_STATES = ['shared', 'local', 'refusing'] as const
export type SharedLimitsState = (typeof SHARED_LIMITS_STATES)[number]

/** What several nodes have in common in Redis, as one node sees it. */
const RedisStatus = shape('RedisStatus', {
  mode: choice(['single', 'sentinel', 'cluster']),
  isReachable: flag().as('reachable'),
  pingMs: number().nullable().note('Null when it did not answer.').example(0.2),
  lossPolicy: choice(['local', 'refuse']),
  state: choice(SHARED_LIMITS_STATES),
  usedMemoryBytes: integer().nullable().note('Null when it is not known.').example(1_048_576),
})
export type RedisStatus = Value<typeof RedisStatus>

type SettingValue = string | number | boolean | null

/** How one node is doing. */
export const SystemStatus = shape('System', {
  version: text().example('1.2.0'),
  nodeId: id('node'),
  node: text().example('gateway-1'),
  startedAtMs: time(),
  uptimeSeconds: number().example(3_600),
  database: DatabaseStatus.field,
  journal: JournalStatus.field,
  redis: RedisStatus.field.nullable(),
  streams: integer().example(0),
  followers: integer().example(0),
  memoryBytes: integer().example(104_857_600),
  cpuSeconds: number().example(12.5),
  /** All that are known, this one first. */
  nodes: list(NodeStatus.field),
  /** Without anything secret. */
  settings: json<Readonly<Record<string, SettingValue>>>(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    { port: 8_080 },
  ),
})
export type SystemStatus = Value<typeof SystemStatus>

const state = json<object>(Type.Object({}), { name: 'Acme' }).nullable()

/** Who changed what, with the state before and after. Never contains a secret. */
export const AuditEvent = shape('AuditEvent', {
  id: id('aud'),
  atMs: time(),
  actor: text().example('operator'),
  action: text().note('`<thing>.<verb>`.').example('account.changed'),
  subject: id('acc'),
  before: state.note('What was changed, as it was; null for something new.'),
  after: state.note('What was changed, as it is now; null for something that is gone.'),
})
export type AuditEvent = Value<typeof AuditEvent>
