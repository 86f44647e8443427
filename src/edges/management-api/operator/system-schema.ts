import Type from 'typebox'
import { DESK_STATES } from '../../../gateway/ports/console.ts'

const closed = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
const Seconds = Type.Number({ minimum: 0 })
const Time = Type.String({ format: 'date-time' })

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const Database = Type.Object(
  {
    engine: Type.Enum(['sqlite', 'postgresql']),
    reachable: Type.Boolean(),
    ping_ms: orNull(Seconds),
    size_bytes: orNull(Count),
  },
  closed,
)

const Journal = Type.Object(
  {
    waiting: Count,
    oldest_at: orNull(Time),
    bytes: Count,
    max_bytes: Count,
    max_age_seconds: Count,
    refusal: orNull(Type.String({ description: 'Why nothing more is admitted.' })),
  },
  closed,
)

const Redis = Type.Object(
  {
    mode: Type.Enum(['single', 'sentinel', 'cluster']),
    reachable: Type.Boolean(),
    ping_ms: orNull(Seconds),
    loss_policy: Type.Enum(['local', 'refuse']),
    state: Type.Enum([...DESK_STATES]),
    used_memory_bytes: orNull(Count),
  },
  closed,
)

const Node = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    version: Type.String(),
    started_at: Time,
    last_heard_at: Time,
    is_this: Type.Boolean({ description: 'Whether it is the one that answers.' }),
  },
  closed,
)

export const SystemAnswer = Type.Object(
  {
    version: Type.String(),
    node_id: Type.String(),
    node: Type.String(),
    started_at: Time,
    uptime_seconds: Seconds,
    database: Database,
    journal: Journal,
    redis: orNull(Redis),
    streams: Count,
    followers: Count,
    memory_bytes: Count,
    cpu_seconds: Seconds,
    nodes: Type.Array(Node),
    settings: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
    ),
  },
  closed,
)
