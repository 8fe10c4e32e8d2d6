/**
 * Calls a listener when the process is asked to end, until it is disposed of. With nobody else to hear the signal, the
 * process then ends by it as if there had been no listener.
 */
export function onSigterm(listener: () => void): Disposable {
  let asked = false
  const hear = (): void => {
    asked = true
    listener()
  }
  process.on('SIGTERM', hear)
  return {
    [Symbol.dispose]() {
      process.removeListener('SIGTERM', hear)
      if (asked && process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM')
    },
  }
}
