import { useEffect, useState } from 'preact/hooks'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { canPush, isSubscribed, subscribe, unsubscribe } from './push.ts'

const WORDS = words({
  title: ['This browser', '此浏览器'],
  on: ['Turn on in this browser', '在此浏览器中开启'],
  off: ['Turn off in this browser', '在此浏览器中关闭'],
  isOn: [
    'This browser receives push notifications until you sign out.',
    '此浏览器会收到推送通知，直到你退出登录。',
  ],
  isOff: ['This browser does not receive push notifications.', '此浏览器未开启推送通知。'],
  cannot: ['This browser does not support push notifications.', '此浏览器不支持推送通知。'],
  denied: ['The browser blocks notifications from this site.', '浏览器已阻止本站的通知。'],
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
