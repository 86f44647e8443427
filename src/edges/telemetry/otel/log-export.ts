import {
  type Context,
  type Logger,
  ROOT_CONTEXT,
  SeverityNumber,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import type { Log, RequestLine } from '../../../serve/ports/log.ts'
import type { RequestTrace } from '../../../serve/ports/request-trace.ts'
import { attemptFields, describeError } from '../pino-log.ts'
import { LEVEL_NUMBERS, QuotedTexts, requestLevel, requestMembers } from '../request-fields.ts'

export interface LogExportParts {
  readonly logger: Logger
  readonly level: keyof typeof LEVEL_NUMBERS
}

const SEVERITIES = {
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
} as const

type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** The same log, whose lines are also exported, with the same fields. */
export function exportingLog(log: Log, { logger, level }: LogExportParts): Log {
  const texts = new QuotedTexts()
  const emit = (severity: keyof typeof SEVERITIES, body: string, line: Line) => {
    if (LEVEL_NUMBERS[severity] < LEVEL_NUMBERS[level]) return
    logger.emit({
      severityNumber: SEVERITIES[severity],
      severityText: severity.toUpperCase(),
      body,
      attributes: withoutEmpty(line.fields),
      context: contextOf(line.trace),
    })
  }
  return {
    request: (line) => {
      log.request(line)
      const severity = requestLevel(line)
      if (LEVEL_NUMBERS[severity] < LEVEL_NUMBERS[level]) return
      emit(severity, 'request', { fields: requestFields(line, texts), trace: line.findings?.trace })
    },
    attemptFailed: (line) => {
      log.attemptFailed(line)
      emit('warn', 'attempt failed', { fields: attemptFields(line), trace: line.trace })
    },
    notice: (what, facts) => {
      log.notice(what, facts)
      emit('info', what, { fields: facts ?? {} })
    },
    trouble: (what, error, requestId) => {
      log.trouble(what, error, requestId)
      emit('error', what, { fields: { ...describeError(error), requestId } })
    },
  }
}

interface Line {
  readonly fields: Fields
  readonly trace?: RequestTrace | undefined
}

/** What the written line has, so that both are the same. */
function requestFields(line: RequestLine, texts: QuotedTexts): Fields {
  return JSON.parse(`{${requestMembers(line, texts)}}`) as Fields
}

function withoutEmpty(fields: Fields): Record<string, string | number | boolean> {
  const kept: Record<string, string | number | boolean> = {}
  for (const name in fields) {
    const value = fields[name]
    // The ids of the trace have places of their own in a record.
    if (value !== null && value !== undefined && name !== 'traceId' && name !== 'spanId') kept[name] = value
  }
  return kept
}

function contextOf(request: RequestTrace | undefined): Context {
  if (request === undefined) return ROOT_CONTEXT
  const { traceId, spanId, recording } = request
  const traceFlags = recording === null ? TraceFlags.NONE : TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags })
}
