import { cleanSchema, type JsonSchema } from './edges/api-docs/clean-schema.ts'
import type { OperationDescription, ParameterDescription } from './edges/api-docs/description.ts'
import { listOf } from './edges/management-api/operator/answer-schema.ts'
import * as users from './vocabulary/user.ts'

const USERS = '/operator/v1/users'

const PAGE: readonly ParameterDescription[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'The most items to give.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
  { name: 'cursor', in: 'query', description: 'The `next_cursor` of the page before.' },
]

/** The part of the operator API about those who sign in to the console. The console's own API is not described. */
export function userOperationDescriptions(): OperationDescription[] {
  const common = { tag: 'Users', security: ['operatorToken'] } as const
  const writing = { family: 'OperatorError', statuses: [400, 401, 403, 404, 413, 415, 429, 500, 503] }
  return [
    {
      ...common,
      endpoint: `GET ${USERS}`,
      id: 'listUsers',
      summary: 'List users, oldest first',
      parameters: PAGE,
      answer: { description: 'A page of them.', schema: 'UserList' },
      errors: { family: 'OperatorError', statuses: [400, 401, 403, 429, 500, 503] },
    },
    {
      ...common,
      endpoint: `POST ${USERS}`,
      id: 'createUser',
      summary: 'Create a user',
      description: '`password` is in the answer when it was made just now, and never again.',
      body: { schema: 'UserCreate', example: { email: 'ada@example.com', name: 'Ada' } },
      answer: { description: 'The user.', schema: 'IssuedUser' },
      errors: writing,
    },
    {
      ...common,
      endpoint: `PATCH ${USERS}/:id`,
      id: 'changeUser',
      summary: 'Change what a user may do',
      description: 'A change of rank ends all sessions of the user.',
      body: { schema: 'UserChange', example: { is_operator: true } },
      answer: { description: 'The user.', schema: 'User' },
      errors: writing,
    },
    {
      ...common,
      endpoint: `POST ${USERS}/:id/password`,
      id: 'resetPassword',
      summary: 'Give a user another password',
      description: 'Ends all sessions of the user.',
      body: { schema: 'PasswordReset', example: {}, isOptional: true },
      answer: { description: 'The user.', schema: 'IssuedUser' },
      errors: writing,
    },
  ]
}

export function userSchemas(): Record<string, JsonSchema> {
  const bodies = [users.UserCreate, users.UserChange, users.PasswordReset]
  return {
    ...Object.fromEntries(bodies.map(({ name, schema }) => [name, cleanSchema(schema)])),
    User: cleanSchema(users.UserView.schema),
    UserList: cleanSchema(listOf(users.UserView.schema)),
    IssuedUser: cleanSchema(users.IssuedUser.schema),
  }
}
