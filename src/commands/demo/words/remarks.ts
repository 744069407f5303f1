import type { Language } from './people.ts'

/** What people say under anything, in their language. */
export const REMARKS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'This made my morning.',
    'Saving this for later.',
    'More of this, please.',
    'I needed that today.',
    'Beautifully said.',
    'Same here, every single time.',
    'Now I want to go out.',
    'How long did that take?',
    'You have to show me how.',
  ],
  zh: [
    '收藏了，下次试试。',
    '看完心情变好了。',
    '太有画面感了。',
    '求一个详细教程！',
    '我也是，一模一样。',
    '想去。',
    '每次看你发的都很治愈。',
    '这也太厉害了吧。',
    '路过点个赞。',
  ],
}
