/** A program that is started as a server, and speaks by its input and output. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** All variables of its environment. */
  readonly env: Readonly<Record<string, string>>
  /** Its working directory; default: that of the program. */
  readonly cwd?: string | undefined
}
