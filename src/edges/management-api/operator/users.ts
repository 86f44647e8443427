import type { UserOperations } from '../../../manage/ports/identity.ts'
import {
  IssuedUser,
  PasswordReset,
  UserChange,
  UserCreate,
  UserListQuery,
  UserView,
} from '../../../vocabulary/user.ts'
import { definer, listOf, one } from '../endpoint.ts'

const define = definer<UserOperations>()
const common = { tag: 'Users', access: 'operator' } as const

export const userEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/users',
    id: 'listUsers',
    summary: 'List users, oldest first',
    query: UserListQuery.fields,
    answer: listOf(UserView, 'A page of users.'),
    handle: (users, { page, query }) => users.listUsers(page, query),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/users',
    id: 'createUser',
    summary: 'Create a user',
    description: 'A generated `password` is in this answer only.',
    body: UserCreate,
    answer: one(IssuedUser, 'The user.'),
    handle: (users, { body, actor }) => users.createUser(body, actor),
  }),
  define({
    ...common,
    method: 'PATCH',
    path: '/users/:id',
    id: 'changeUser',
    summary: 'Change what a user may do',
    description: 'Making a user an operator, or no longer one, ends all their sessions.',
    body: UserChange,
    answer: one(UserView, 'The user.'),
    handle: (users, { params, body, actor }) => users.changeUser(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/users/:id/password',
    id: 'resetPassword',
    summary: 'Give a user a new password',
    description: 'Ends all sessions of the user.',
    body: PasswordReset,
    answer: one(IssuedUser, 'The user.'),
    handle: (users, { params, body, actor }) => users.resetPassword(params.id, body.password, actor),
  }),
]
