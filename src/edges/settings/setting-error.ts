/** A setting that cannot be used. Its message is one line: the variable, what it got, what it takes. */
export class SettingError extends Error {}
