import { isDeepStrictEqual } from 'node:util'
import type {
  IssuedSink,
  Sink,
  SinkProgress,
  SinkSettings,
  SinkView,
} from '../../../vocabulary/observability/sink.ts'
import { RECORD_ID, RECORD_ID_RULE } from '../../../vocabulary/records/record.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Change, Changes, LocalOperations, OperationParts } from '../parts.ts'
import { refuse, requireFound } from '../refuse.ts'

// Each costs every batch of settlements a row.
const MAX_SINKS = 10

const NO_PROGRESS: SinkProgress = {
  waiting: 0,
  oldestAtMs: null,
  sent: 0,
  lost: 0,
  lastSentAtMs: null,
  failures: 0,
  nextTryAtMs: null,
  lastFailure: null,
}

export function sinkOperations({ storage }: OperationParts) {
  return {
    listSinks: async () => {
      const progress = await storage.loadSinkProgress()
      return (await storage.loadSinks()).map((sink) => viewOf(sink, progress.get(sink.id)))
    },
    findSink: async (id) => {
      const progress = await storage.loadSinkProgress()
      return viewOf(await requireSink(storage, id), progress.get(id))
    },
  } satisfies Partial<LocalOperations>
}

export const sinkChanges = {
  async putSink(change, id, settings) {
    if (!RECORD_ID.test(id)) refuse('id', `id must be ${RECORD_ID_RULE}.`)
    const known = await change.parts.storage.loadSinks()
    const before = known.find((sink) => sink.id === id) ?? null
    if (before === null && known.length >= MAX_SINKS) refuse('id', `There may be ${MAX_SINKS} sinks.`)
    return saveSink(change, before, { ...settings, id })
  },

  async changeSink(change, id, settings) {
    const before = await requireSink(change.parts.storage, id)
    return saveSink(change, before, { ...before, ...settings })
  },

  async deleteSink(change, id) {
    const { storage } = change.parts
    const before = await requireSink(storage, id)
    await storage.deleteSink(
      id,
      change.audit('sink.deleted', id, { before: describeSink(before), after: null }),
    )
  },
} satisfies Changes

async function saveSink(
  change: Change,
  before: Sink | null,
  settings: SinkSettings & Pick<Sink, 'id'>,
): Promise<IssuedSink> {
  const { storage, random, hasBucketKeys = false } = change.parts
  checkTarget(settings.target, { hasBucketKeys })
  // Only calls are signed, so that a sink gets its secret when it first leads to an address.
  const isSigned = isAddress(settings.target)
  const isNewlySigned = isSigned && (before === null || !isAddress(before.target))
  const sink: Sink = {
    ...settings,
    secret: before === null || isNewlySigned ? random.secret().replace(/^sk-/, 'whsec_') : before.secret,
    createdAtMs: before?.createdAtMs ?? change.nowMs,
  }
  if (!isDeepStrictEqual(before, sink)) {
    const action = before === null ? 'sink.created' : 'sink.changed'
    const states = { before: before && describeSink(before), after: describeSink(sink) }
    await storage.saveSink(sink, change.audit(action, sink.id, states))
  }
  const view = viewOf(sink, (await storage.loadSinkProgress()).get(sink.id))
  return { ...view, secret: isNewlySigned ? sink.secret : null }
}

async function requireSink(storage: Pick<Storage, 'loadSinks'>, id: string): Promise<Sink> {
  const found = (await storage.loadSinks()).find((sink) => sink.id === id)
  return requireFound(found ?? null, 'sink', id)
}

function viewOf({ secret: _, ...sink }: Sink, progress = NO_PROGRESS): SinkView {
  return { ...sink, progress }
}

/** Without its query, where receivers like to put what only the caller should know. */
function describeSink({ target, hasSettlements, hasEvents, enabled, waitSeconds }: Sink) {
  const shown = target.replace(/[?#].*$/, '')
  return { target: shown, settlements: hasSettlements, events: hasEvents, enabled, wait_seconds: waitSeconds }
}

const BUCKET = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w!*'()-][\w!.*'()/-]*)?$/
const FOLDER = /^folder:\/\/[a-z0-9][a-z0-9-]{0,63}$/

function checkTarget(target: string, { hasBucketKeys }: { readonly hasBucketKeys: boolean }): void {
  if (FOLDER.test(target)) return
  if (BUCKET.test(target)) {
    if (hasBucketKeys) return
    refuse('target', 'target is a bucket, but AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set.')
  }
  const url = URL.parse(target)
  if (url === null || !isAddress(target)) {
    refuse('target', 'target must be an http or https address, s3://bucket/prefix or folder://name.')
  }
  if (url.username !== '' || url.password !== '') {
    refuse('target', 'target must not hold a user or a password.')
  }
}

function isAddress(target: string): boolean {
  return /^https?:\/\//i.test(target)
}
