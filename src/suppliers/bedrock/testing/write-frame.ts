/** Writes AWS's event-stream frames, with nothing in common with the part that reads them. */
export function writeFrame(
  headers: Readonly<Record<string, string>>,
  payload: string | Uint8Array,
): Uint8Array {
  const headerBytes = Buffer.concat(Object.entries(headers).map(writeTextHeader))
  const body = Buffer.from(payload)
  const frame = Buffer.alloc(16 + headerBytes.length + body.length)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(headerBytes.length, 4)
  frame.writeUInt32BE(checksum(frame.subarray(0, 8)), 8)
  headerBytes.copy(frame, 12)
  body.copy(frame, 12 + headerBytes.length)
  frame.writeUInt32BE(checksum(frame.subarray(0, -4)), frame.length - 4)
  return frame
}

/** A frame that holds an event of a messages stream, as Bedrock writes it. */
export function writeChunk(event: object | string): Uint8Array {
  const text = typeof event === 'string' ? event : JSON.stringify(event)
  const headers = {
    ':event-type': 'chunk',
    ':content-type': 'application/json',
    ':message-type': 'event',
  }
  // Bedrock pads, so that lengths do not reveal the content.
  return writeFrame(headers, JSON.stringify({ bytes: Buffer.from(text).toString('base64'), p: 'abcdefgh' }))
}

export function writeException(name: string, message: string): Uint8Array {
  const headers = {
    ':exception-type': name,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  }
  return writeFrame(headers, JSON.stringify({ message }))
}

function writeTextHeader([name, value]: [string, string]): Uint8Array {
  const nameBytes = Buffer.from(name)
  const valueBytes = Buffer.from(value)
  const lengths = Buffer.from([7, valueBytes.length >> 8, valueBytes.length & 0xff])
  return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, lengths, valueBytes])
}

// Bit by bit, as the standard defines it.
function checksum(bytes: Uint8Array): number {
  let remainder = 0xffffffff
  for (const byte of bytes) {
    remainder ^= byte
    for (let bit = 0; bit < 8; bit += 1)
      remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  }
  return (remainder ^ 0xffffffff) >>> 0
}
