/** What was sent is no HTTP/1.1 message that can be trusted to end where it seems to. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}
