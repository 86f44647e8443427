/** The name of this wire format. It marks blocks, extras and signatures that only this format understands. */
export const FORMAT = 'messages'
