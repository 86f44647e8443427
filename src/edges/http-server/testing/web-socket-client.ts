import { Receiver, Sender } from 'ws-frames'
import { get, RawConnection } from './raw-client.ts'

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface ClientFrame {
  readonly opcode?: number
  readonly fin?: boolean
  readonly mask?: boolean
  readonly rsv1?: boolean
}

/** A frame as a client sends it. */
export function frame(data: string | Uint8Array, options: ClientFrame = {}): Buffer {
  const payload = Buffer.from(data as string)
  const whole = { opcode: OPCODES.text, fin: true, mask: true, rsv1: false, readOnly: true, ...options }
  return Buffer.concat(Sender.frame(payload, whole))
}

export function closeFrame(code: number, reason = ''): Buffer {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return frame(Buffer.concat([payload, Buffer.from(reason)]), { opcode: OPCODES.close })
}

// The example of RFC 6455.
export const EXAMPLE_KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
export const EXAMPLE_ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='

export function handshake(path: string, ...lines: readonly string[]): string {
  return get(
    path,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${EXAMPLE_KEY}`,
    ...lines,
  )
}

/** What a server sent: messages, pings and pongs in order, and the code of its close frame. */
export interface ServerFrames {
  readonly seen: string[]
  closeCode: number | null
}

/** Reads all complete frames that have come. */
export function readFrames(bytes: Buffer): ServerFrames {
  const frames: ServerFrames = { seen: [], closeCode: null }
  const limits = { maxPayload: 0, maxFragments: 0, maxBufferedChunks: 0 }
  const receiver = new Receiver({ isServer: false, ...limits })
  receiver.on('message', (data) => void frames.seen.push(data.toString()))
  receiver.on('ping', (data) => void frames.seen.push(`ping ${data}`))
  receiver.on('pong', (data) => void frames.seen.push(`pong ${data}`))
  receiver.on('conclude', (code) => {
    frames.closeCode = code
  })
  receiver.write(Buffer.from(bytes))
  return frames
}

/** A connection after its handshake. */
export async function openRaw(port: number, path: string): Promise<RawConnection> {
  const connection = new RawConnection(port)
  void connection.send(handshake(path))
  const { status } = await connection.answer()
  if (status !== 101) throw new Error(`the handshake was answered with ${status}`)
  return connection
}
