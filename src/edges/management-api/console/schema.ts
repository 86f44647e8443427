import { Type } from 'typebox'

// An unknown field is a misspelt one more often than not; accepting it would lose what it was meant to say.
const closed = { additionalProperties: false } as const

const Email = Type.String({ minLength: 1, maxLength: 320 })
const Name = Type.String({ minLength: 1, maxLength: 200 })
// Longer than any password may be, so that the rule itself says what is wrong; bounded, because hashing takes time.
const Password = Type.String({ maxLength: 400 })
const Code = Type.String({ maxLength: 40 })
const OrNull = <const Schema extends typeof Code>(schema: Schema) => Type.Union([schema, Type.Null()])

export const SignInBody = Type.Object(
  { email: Email, password: Password, code: Type.Optional(OrNull(Code)) },
  closed,
)
export const SignUpBody = Type.Object({ email: Email, password: Password, name: Name }, closed)
export const PasswordBody = Type.Object({ current: Password, new: Password }, closed)
export const CodeBody = Type.Object({ code: Code }, closed)
export const ProofBody = Type.Object(
  { password: Type.Optional(OrNull(Password)), code: Type.Optional(OrNull(Code)) },
  closed,
)
export const ProfileBody = Type.Object({ name: Name }, closed)
