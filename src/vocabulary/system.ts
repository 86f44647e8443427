import { Type } from 'typebox'
import { choice, flag, id, integer, json, list, number, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'

/** One running process of the gateway. */
export const NodeRecord = shape('StoredNode', {
  /** Identifies this run of the process. */
  id: id('node'),
  /** Its name for operators; by default the name of the machine. */
  name: text().example('gateway-1'),
  version: text().example('1.2.0'),
  startedAtMs: time(),
})
export type NodeRecord = Value<typeof NodeRecord>

export const SeenNode = NodeRecord.with('SeenNode', {
  /** Identifies the limits it shares with other nodes; null when it reaches none, or is too old to report it. */
  sharedLimitsId: text().nullable(),
  /** Time since its last heartbeat, by the clock of the database. */
  silentMs: integer(),
})
export type SeenNode = Value<typeof SeenNode>

const NodeStatus = NodeRecord.with('Node', {
  lastHeardAtMs: time(),
  isThis: flag().note('Whether it is the node that answers.'),
})

const DATABASE_ENGINES = ['sqlite', 'postgresql'] as const
export type DatabaseEngine = (typeof DATABASE_ENGINES)[number]

/** null when the database does not answer. */
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
  refusal: text().nullable().note('Why requests are refused; null while there is room.').example(null),
})
export type JournalStatus = Value<typeof JournalStatus>

/** How a node enforces limits: with the shared ones, with its own part of them, or by refusing requests. */
export const SHARED_LIMITS_STATES = ['shared', 'local', 'refusing'] as const
export type SharedLimitsState = (typeof SHARED_LIMITS_STATES)[number]

/** Redis, as one node sees it. */
const RedisStatus = shape('RedisStatus', {
  mode: choice(['single', 'sentinel', 'cluster']),
  isReachable: flag().as('reachable'),
  pingMs: number().nullable().note('null when it did not answer.').example(0.2),
  lossPolicy: choice(['local', 'refuse']),
  state: choice(SHARED_LIMITS_STATES),
  usedMemoryBytes: integer().nullable().note('null when it is not known.').example(1_048_576),
})
export type RedisStatus = Value<typeof RedisStatus>

type SettingValue = string | number | boolean | null

/** The status of one node. */
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
  /** All known nodes, this one first. */
  nodes: list(NodeStatus.field),
  /** Without secrets. */
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
  before: state.note('The object before the change; null when it was created.'),
  after: state.note('The object after the change; null when it was deleted.'),
})
export type AuditEvent = Value<typeof AuditEvent>

export const SEARCHED_KINDS = ['account', 'key', 'model', 'supplier', 'request'] as const

/** Something that a search found. */
export const SearchHit = shape('SearchHit', {
  kind: choice(SEARCHED_KINDS),
  id: text().example('acc_0123456789abcdef'),
  name: text().example('Acme'),
  detail: text(2_000, { min: 0 })
    .note('What tells it from others of the same name.')
    .example('billing@acme.example'),
  accountId: id('acc').nullable().note('Whose it is; null for what belongs to no account.'),
})
export type SearchHit = Value<typeof SearchHit>

/** An audit event as operators see it. */
export const AuditView = AuditEvent.with('AuditView', {
  subjectName: text()
    .nullable()
    .note('What people call the object; null when nothing is known.')
    .example('Acme'),
})
export type AuditView = Value<typeof AuditView>

export const AuditFilter = shape('AuditFilter', {
  actor: text().note('Only authors whose name contains this.').example('ann@example.com'),
  kind: text(60).note('Only actions of this kind of object.').example('account'),
  subject: text().note('Only objects whose id contains this.').example('acc_0123456789abcdef'),
  fromMs: time().note('At this RFC 3339 time or later.'),
  toMs: time().note('Before this RFC 3339 time.'),
})
export type AuditFilter = Partial<Value<typeof AuditFilter>>
