/** A step from one schema to the next. Once released it never changes: databases out there have run it. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
  /** What PostgreSQL runs after them: nodes of several versions can share no other database. */
  readonly onServer?: readonly string[]
}
