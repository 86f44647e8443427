import { describe, expect, test } from 'bun:test'
import { NO_SESSION } from '../../vocabulary/settlement.ts'
import { readSessionIds } from './session-ids.ts'

const read = (headers: Record<string, string>) => readSessionIds(new Headers(headers))

describe('session and agent', () => {
  test('are absent without headers, at the cost of no object', () => {
    expect(read({ 'user-agent': 'curl' })).toBe(NO_SESSION)
  })

  test.each<readonly [string, Record<string, string>, object]>([
    ['our headers', { 'x-session-id': 's1', 'x-agent-id': 'reviewer' }, { session: 's1', agent: 'reviewer' }],
    [
      'a sub-agent of Claude Code',
      {
        'x-claude-code-session-id': 's1',
        'x-claude-code-agent-id': 'tester@team',
        'x-claude-code-parent-agent-id': 'a1',
      },
      { session: 's1', agent: 'tester@team', parentAgent: 'a1' },
    ],
    [
      'Codex, whose main thread has the id of its session',
      { 'session-id': 's1', 'thread-id': 's1', 'x-client-request-id': 's1' },
      { session: 's1' },
    ],
    [
      'a sub-agent of Codex',
      { 'session-id': 's1', 'thread-id': 't2', 'x-codex-parent-thread-id': 's1' },
      { session: 's1', agent: 't2' },
    ],
    ['an agent without a session', { 'x-agent-id': 'nightly' }, { agent: 'nightly' }],
    ['a parent without an agent', { session_id: 's1', 'x-parent-agent-id': 'a1' }, { session: 's1' }],
    ['our header before others', { 'x-session-id': 's1', session_id: 's2' }, { session: 's1' }],
  ])('are read from %s', (_of, headers, expected) => {
    expect(read(headers)).toEqual({ ...NO_SESSION, ...expected })
  })

  test.each([
    ['too long', 'x'.repeat(129)],
    ['not printable', 'caf\xe9'],
    ['an e-mail address', 'ann@example.com'],
    ['an API key', 'sk-0123456789'],
    ['a credential', 'Bearer abc'],
  ])('are null when the value is %s', (_what, value) => {
    expect(read({ 'x-session-id': value, 'x-agent-id': value })).toBe(NO_SESSION)
  })

  test('may have 128 characters', () => {
    expect(read({ 'x-session-id': 'x'.repeat(128) }).session).toHaveLength(128)
  })
})
