export { decodeErrorBody as decodeError, decodeErrorEvent as decodeStreamError } from '../../error-body.ts'
