import Type from 'typebox'

const closed = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0 })
const Seconds = Type.Number({ minimum: 0 })
const Time = Type.String({ format: 'date-time' })

export const SystemAnswer = Type.Object(
  {
    version: Type.String(),
    node: Type.String(),
    started_at: Time,
    uptime_seconds: Seconds,
    database: Type.Object(
      { engine: Type.Enum(['sqlite', 'postgresql']), ping_ms: Seconds, size_bytes: Count },
      closed,
    ),
    journal: Type.Object({ waiting: Count, oldest_at: Type.Union([Time, Type.Null()]) }, closed),
    redis: Type.Null(),
    streams: Count,
    followers: Count,
    memory_bytes: Count,
    cpu_seconds: Seconds,
    nodes: Type.Array(Type.Object({ node: Type.String(), version: Type.String(), started_at: Time }, closed)),
    settings: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
    ),
  },
  closed,
)
