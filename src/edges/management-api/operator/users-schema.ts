import { Type } from 'typebox'
import { ROLES } from '../../../gateway/ports/identity.ts'

const closed = { additionalProperties: false } as const
const Email = Type.String({ minLength: 3, maxLength: 320 })
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Password = Type.String({ maxLength: 400 })
const RoleName = Type.Enum([...ROLES])

export const UserBody = Type.Object(
  {
    email: Email,
    name: Type.Optional(Name),
    password: Type.Optional(Type.Union([Password, Type.Null()])),
    is_operator: Type.Optional(Type.Boolean()),
    account_id: Type.Optional(Type.Union([Name, Type.Null()])),
    role: Type.Optional(RoleName),
  },
  closed,
)

export const UserChangeBody = Type.Object(
  {
    name: Type.Optional(Name),
    is_operator: Type.Optional(Type.Boolean()),
    disabled: Type.Optional(Type.Boolean()),
    totp_enabled: Type.Optional(Type.Literal(false)),
  },
  closed,
)

export const PasswordResetBody = Type.Object({ password: Type.Optional(Password) }, closed)

const user = {
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  is_operator: Type.Boolean(),
  disabled: Type.Boolean(),
  has_password: Type.Boolean(),
  totp_enabled: Type.Boolean(),
  accounts: Type.Array(Type.Object({ id: Type.String(), role: RoleName }, closed)),
  created_at: Type.String({ format: 'date-time' }),
}

export const UserAnswer = Type.Object(user, closed)
export const IssuedUserAnswer = Type.Object(
  { ...user, password: Type.Union([Type.String(), Type.Null()]) },
  closed,
)
