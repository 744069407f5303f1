/**
 * Notices a missing file of the build, such as after an upgrade. Reloads the page once for each build, unless a field
 * was filled already, and shows a sentence otherwise. Pages contain the text of this function, because it must run
 * when no script loads, so it uses nothing of this file.
 */
function watchScripts(build: string): void {
  const show = () => {
    const sentence = document.getElementById('unloaded')
    if (sentence) sentence.hidden = false
  }
  const isFilled = () =>
    [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].some(
      (field) => field.value !== field.defaultValue,
    )
  let isLeaving = false
  const onError = ({ target }: Event) => {
    const { src = '', href = '' } = target as HTMLScriptElement & HTMLLinkElement
    if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return
    if (isLeaving || !(src || href).includes('/_/assets/')) return
    try {
      // The same key as in `reloadOnce`.
      if (navigator.onLine && !isFilled() && sessionStorage.getItem('kith.reloaded') !== build) {
        sessionStorage.setItem('kith.reloaded', build)
        isLeaving = true
        location.reload()
        return
      }
    } catch {
      // Without storage, nothing would prevent a second reload.
    }
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', show)
    else show()
  }
  // Errors of elements do not bubble.
  addEventListener('error', onError, true)
}

export const scriptWatcher = (build: string): string => `(${watchScripts})(${JSON.stringify(build)})`
