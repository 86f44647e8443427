/** An answer that has begun and comes too slowly to be waited for. */
export class SlowAnswer extends Error {
  override readonly name = 'SlowAnswer'
}
