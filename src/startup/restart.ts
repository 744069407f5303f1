/**
 * Replaces this process by a new one with the same id, arguments and environment, so that service managers and
 * containers see no end. Ends the process on Windows, which cannot replace one.
 */
export function restartProcess(code: number): never {
  if (code === 0 && process.platform !== 'win32' && process.execve)
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)])
  process.exit(code)
}
