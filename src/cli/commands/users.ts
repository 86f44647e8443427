import type { ShownList } from '../../edges/management-api/endpoint.ts'
import type { Environment } from '../../edges/settings/read-settings.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import type { IssuedUser, UserView } from '../../vocabulary/user.ts'
import { type Action, type ActionCall, createActionGroup } from '../action-group.ts'
import { type Command, UsageError } from '../command.ts'
import { type Fact, printFacts, printList } from '../print-answer.ts'
import type { Column } from '../print-table.ts'

type UserAnswer = Shown<typeof UserView>

const COLUMNS: readonly Column<UserAnswer>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'email', cell: ({ email }) => email },
  { title: 'name', cell: ({ name }) => name },
  { title: 'operator', cell: ({ is_operator }) => sayYes(is_operator) },
  { title: 'disabled', cell: ({ disabled }) => sayYes(disabled) },
  { title: 'second factor', cell: ({ totp_enabled }) => sayYes(totp_enabled) },
  { title: 'accounts', cell: ({ accounts }) => accounts.map(({ id, role }) => `${id} (${role})`).join(', ') },
]

export function createUsersCommand(environment: Environment): Command {
  const summary = 'see and change who may sign in to the console'
  return createActionGroup({ name: 'users', summary, actions: ACTIONS }, environment)
}

const list: Action = {
  name: 'list',
  optional: ['limit'],
  summary: 'all users, oldest first',
  run: (call) => printList(call, '/users', { columns: COLUMNS, empty: 'There are no users.' }),
}

const create: Action = {
  name: 'create',
  words: ['email'],
  optional: ['name', 'account', 'role'],
  summary: 'a new user with a password that is shown once; --role is owner or member of --account',
  run: async (call) => {
    const [name, account, role] = [call.flag('name'), call.flag('account'), call.flag('role')]
    const body = {
      email: call.said('email'),
      ...(name !== undefined && { name }),
      ...(account !== undefined && { account_id: account }),
      ...(role !== undefined && { role }),
    }
    printIssued(call, await call.client.call('POST', '/users', body))
  },
}

const resetPassword: Action = {
  name: 'reset-password',
  words: ['email'],
  summary: 'a new password that is shown once; ends every session of the user',
  run: async (call) => {
    const { id } = await findUser(call)
    printIssued(call, await call.client.call('POST', `/users/${id}/password`))
  },
}

const makeOperator: Action = {
  name: 'make-operator',
  words: ['email'],
  summary: 'let the user do everything; they have to sign in again',
  run: async (call) => {
    const { id } = await findUser(call)
    const user: UserAnswer = await call.client.call('PATCH', `/users/${id}`, { is_operator: true })
    printFacts(call, user, describe(user))
  },
}

const ACTIONS = [list, create, resetPassword, makeOperator]

async function findUser({ client, said }: ActionCall): Promise<UserAnswer> {
  const email = said('email').toLowerCase()
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: ShownList<UserAnswer> = await client.call('GET', `/users?limit=200${query}`)
    const found = page.data.find((user) => user.email === email || user.id === said('email'))
    if (found !== undefined) return found
    cursor = page.next_cursor
  } while (cursor !== null)
  throw new UsageError(`there is no user ${said('email')}; 'turnpike users list' shows them`)
}

function printIssued(call: ActionCall, user: Shown<typeof IssuedUser>): void {
  printFacts(call, user, { ...describe(user), 'password (shown once)': user.password })
}

function describe({ id, email, name, is_operator }: UserAnswer): Record<string, Fact> {
  return { id, email, name, operator: sayYes(is_operator) }
}

function sayYes(isSo: boolean): string {
  return isSo ? 'yes' : 'no'
}
