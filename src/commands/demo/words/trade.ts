import type { Scene } from '../pictures/photographs.ts'
import type { Language } from './people.ts'

/** Feeds whose text or picture costs something: everybody reads how they begin. */
export const SOLD: readonly {
  speaks: Language
  text: string
  /** What reading it costs, or seeing its picture. */
  amount: number
  sells: 'text' | 'picture'
  scene: Scene
}[] = [
  {
    speaks: 'zh',
    sells: 'text',
    amount: 30,
    scene: 'mountains',
    text: '北坡环线完整攻略：几点出发不用排队，哪一段没有信号，哪一家的豆花只卖到上午十点，下雨之后哪条岔路不能走，以及回程那班没有写在时刻表上的小巴停在哪里。水带两升，头灯带两个。',
  },
  {
    speaks: 'en',
    sells: 'text',
    amount: 20,
    scene: 'cup',
    text: 'My sourdough timetable for people with jobs: mix at nine in the evening, fold twice before bed, shape at six, bake while you shower. The trick that nobody told me is the second fridge night, which forgives everything that went wrong on the first.',
  },
  {
    speaks: 'en',
    sells: 'picture',
    amount: 15,
    scene: 'stars',
    text: 'Forty minutes of sky in one frame. The full size is for those who want it on a wall.',
  },
]

/** A question whose invited answer others pay to read. */
export const LOOKED_AT = {
  speaks: 'zh',
  subject: '阳台上怎样一年四季都有菜吃？',
  body: '两平方米，朝南，冬天偶尔零度。想请种过的人写一份全年计划。',
  answer:
    '十一月播小白菜和蒜苗，**不要盖得太密**。二月换豌豆，四月上番茄，六月以后只留紫苏和空心菜。\n\n- 土每季换三分之一\n- 傍晚浇水，冬天中午浇\n- 薄荷单独一盆，永远单独一盆',
  comment: '这二十个积分花得值。',
} as const

/** Said to whoever decided against somebody. */
export const APPEALS: readonly { speaks: Language; reason: string; contents: string }[] = [
  {
    speaks: 'en',
    reason: 'Three posts that only link to a shop.',
    contents:
      'The shop is my sister’s and I said so in each. I can leave the links out, but please take the warning back.',
  },
  {
    speaks: 'zh',
    reason: '在评论里人身攻击。',
    contents: '那句话是引用小说里的台词，前一条评论里写了出处。希望重新看一下。',
  },
]

/** What people tell the managers of a group about its posts. */
export const TO_MANAGERS = ['与本组无关，像广告。', 'This was posted in two other groups today.'] as const
