/** Acts every so many seconds, never twice at once, until it is disposed of; what fails is told, and tried again next time. */
export function every(seconds: number, act: () => Promise<void>, onError: (error: unknown) => void): Disposable {
  let isActing = false
  const once = async (): Promise<void> => {
    if (isActing) return
    isActing = true
    try {
      await act()
    } catch (error) {
      onError(error)
    } finally {
      isActing = false
    }
  }
  const timer = setInterval(() => void once(), seconds * 1000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
