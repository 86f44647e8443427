import type { AuditEvent } from '../../vocabulary/audit-event.ts'
import type { Snapshot } from '../../vocabulary/snapshot.ts'
import type { OperationParts } from './parts.ts'

export interface BeforeAndAfter {
  readonly before: object | null
  readonly after: object | null
}

/** One change while it is being made: nothing else changes until it is done. */
export interface Change {
  readonly parts: OperationParts
  readonly snapshot: Snapshot
  readonly actor: string
  readonly nowMs: number
  audit(action: string, subject: string, states: BeforeAndAfter): AuditEvent
  /** Puts what was stored in force. */
  publish(edit: (snapshot: Snapshot) => Snapshot): void
}

/** Where all changes are made, one after the other, so that none is based on a state another has left behind. */
export interface ChangeDesk {
  readonly parts: OperationParts
  makeChange<T>(actor: string, work: (change: Change) => Promise<T>): Promise<T>
}

/** Changes that wait for their turn, on this node and on others. */
export function createChangeDesk({ parts, makeChange }: ChangeDesk): ChangeDesk {
  return {
    parts,
    makeChange: (actor, work) => parts.configuration.changing(() => makeChange(actor, work)),
  }
}

/** Changes that are part of a larger one: whoever makes them is `changing` the configuration already. */
export function createInnerDesk(parts: OperationParts): ChangeDesk {
  let changes = 0
  return { parts, makeChange: (actor, work) => work(beginChange(parts, actor, ++changes)) }
}

function beginChange(parts: OperationParts, actor: string, ordinal: number): Change {
  const nowMs = parts.clock.nowMs()
  return {
    parts,
    snapshot: parts.configuration.current(),
    actor,
    nowMs,
    audit: (action, subject, states) => ({
      // Events of one millisecond are listed by id, so the id says which came first.
      id: parts.random.id(`aud_${String(ordinal).padStart(10, '0')}`),
      atMs: nowMs,
      actor,
      action,
      subject,
      ...states,
    }),
    publish: (edit) => parts.configuration.replace(edit(parts.configuration.current())),
  }
}
