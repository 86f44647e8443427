/** The parts of `ws` in use. Its name is an alias, because Bun replaces the module `ws` by its own. */
declare module 'ws-frames' {
  import type { Writable } from 'node:stream'

  export interface ReceiverOptions {
    readonly isServer: boolean
    /** Of a message, whatever its frames. */
    readonly maxPayload: number
    readonly maxFragments: number
    readonly maxBufferedChunks: number
  }

  /** Reads frames. Emits `message`, `ping`, `pong`, `conclude` and `error` while bytes are written to it. */
  export interface Receiver extends Writable {
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this
    on(event: 'ping' | 'pong', listener: (data: Buffer) => void): this
    on(event: 'conclude', listener: (code: number, reason: Buffer) => void): this
    on(event: 'error', listener: (error: Error & { readonly code?: string }) => void): this
  }
  export const Receiver: new (options: ReceiverOptions) => Receiver

  export interface FrameOptions {
    readonly fin: boolean
    readonly opcode: number
    readonly mask: boolean
    readonly readOnly: boolean
    readonly rsv1: boolean
  }

  export const Sender: { frame(data: Uint8Array, options: FrameOptions): Buffer[] }
}
