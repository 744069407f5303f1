import { useEffect, useState } from 'preact/hooks'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { canPush, isSubscribed, subscribe, unsubscribe } from './push.ts'

const WORDS = words({
  title: ['This browser', '此浏览器'],
  on: ['Notify this browser', '开启此浏览器推送'],
  off: ['Stop notifying this browser', '关闭此浏览器推送'],
  isOn: ['This browser is notified until you sign out.', '退出登录前，此浏览器会收到推送。'],
  isOff: ['This browser is not notified.', '此浏览器未开启推送。'],
  cannot: ['This browser cannot be notified.', '此浏览器不支持推送。'],
  denied: ['The browser does not allow notifications of this site.', '浏览器禁止了本站的通知。'],
})

export function PushSwitch() {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { say, fail } = useToast()
  // Undefined on the server, and until the browser reports the subscription.
  const [isOn, setOn] = useState<boolean | 'cannot'>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    if (canPush()) isSubscribed(api).then(setOn, () => setOn(false))
    else setOn('cannot')
  }, [api])
  const change = async () => {
    setBusy(true)
    try {
      if (isOn) await unsubscribe(api)
      else if (!(await subscribe(api))) say(t.denied)
      setOn(await isSubscribed(api))
    } catch (error) {
      fail(error)
    }
    setBusy(false)
  }
  if (isOn === undefined) return null
  return (
    <section class="fields">
      <h2>{t.title}</h2>
      <p class="quiet">{isOn === 'cannot' ? t.cannot : isOn ? t.isOn : t.isOff}</p>
      {isOn !== 'cannot' && (
        <button class="button" type="button" disabled={isBusy} onClick={() => void change()}>
          {isOn ? t.off : t.on}
        </button>
      )}
    </section>
  )
}
