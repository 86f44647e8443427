import { Type } from 'typebox'
import { ROLES } from '../../../gateway/ports/identity.ts'

// An unknown field is a misspelt one more often than not; accepting it would lose what it was meant to say.
const closed = { additionalProperties: false } as const

const LONGEST_DAYS = 365

export const BodyStorageBody = Type.Object(
  {
    enabled: Type.Boolean(),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_DAYS })),
  },
  closed,
)

export const MemberBody = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 320 }), role: Type.Enum([...ROLES]) },
  closed,
)
