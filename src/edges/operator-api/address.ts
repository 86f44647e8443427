export const OPERATOR_PATH = '/operator/v1'

/** Who the audit says did it, when all that is known is that the operator token was right. */
export const OPERATOR_ACTOR = 'operator'
