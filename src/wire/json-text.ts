import { GatewayError } from '../errors/gateway-error.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The index of the quote that closes the string opened at `open`, -1 when it is never closed. */
export function closingQuote(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1)
  while (quote !== -1 && isEscaped(text, open, quote)) quote = text.indexOf('"', quote + 1)
  return quote
}

// Each run of backslashes stands before exactly one quote, so counting them back keeps the scan linear.
function isEscaped(text: string, open: number, quote: number): boolean {
  let first = quote
  while (first - 1 > open && text.charCodeAt(first - 1) === BACKSLASH) first--
  return (quote - first) % 2 === 1
}

/** The first index from `from` on that is not JSON white space. */
export function skipWhitespace(text: string, from: number): number {
  let index = from
  while (isWhitespace(text.charCodeAt(index))) index++
  return index
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Where the value that begins at `start` ends. The text must be valid JSON. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start)
  if (first === 0x7b || first === 0x5b) return endOfNested(text, start)
  return endOfScalar(text, start)
}

function endOfString(text: string, start: number): number {
  const close = closingQuote(text, start)
  return close === -1 ? text.length : close + 1
}

// Counts brackets instead of recursing: a body may nest deeper than the stack.
function endOfNested(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index) - 1
    // Opening { and [ and closing } and ] differ only in the bit 0x20.
    else if ((code | 0x20) === 0x7b) depth = deeper(depth)
    else if ((code | 0x20) === 0x7d) {
      depth--
      if (depth === 0) return index + 1
    }
  }
  return text.length
}

// Far beyond any schema, and far below what makes writing a value out again take seconds.
const MAX_DEPTH = 512

/** One level deeper, or a refusal: whatever follows the nesting of a body by calling itself has to stop somewhere. */
export function deeper(depth: number): number {
  if (depth >= MAX_DEPTH) {
    throw new GatewayError('invalid_request', `The body is nested more than ${MAX_DEPTH} levels deep.`)
  }
  return depth + 1
}

function endOfScalar(text: string, start: number): number {
  let index = start
  while (index < text.length && !endsScalar(text.charCodeAt(index))) index++
  return index
}

function endsScalar(code: number): boolean {
  return code === 0x2c || code === 0x7d || code === 0x5d || isWhitespace(code)
}
