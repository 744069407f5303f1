import type { Scene } from '../pictures/photographs.ts'
import type { Language } from './people.ts'

export const SONGS: readonly { title: string; singer: string; album: string; lyric: string }[] = [
  {
    title: 'Slow Ferry',
    singer: 'The Late Departures',
    album: 'Platform Nine',
    lyric: 'The water keeps the time for me\nI have no watch, I have the sea',
  },
  {
    title: 'Carpet Advert',
    singer: 'The Late Departures',
    album: 'Platform Nine',
    lyric: 'Sixty-three and still on air\nCarpets, carpets everywhere',
  },
  {
    title: 'Double Tempo',
    singer: 'The Late Departures',
    album: 'Platform Nine',
    lyric: 'Count me in, count me twice\nNobody stopped, the band was nice',
  },
  {
    title: '山那边的灯',
    singer: '晚风合唱团',
    album: '抬头看天',
    lyric: '山那边有一盏灯\n你不在的时候它也亮着',
  },
  { title: '绿皮车', singer: '晚风合唱团', album: '抬头看天', lyric: '上午十点只有一班\n窗外的花开到铁轨边' },
  { title: '四个和弦', singer: '许知夏', album: '抬头看天', lyric: '一六四五 从头再来\n副歌推翻了还有人爱' },
  {
    title: 'Eleven Grams',
    singer: 'Balcony Orchestra',
    album: 'Two Square Metres',
    lyric: 'Forty hours for one tomato\nI would do it all again tomorrow',
  },
  {
    title: '薄荷进行曲',
    singer: 'Balcony Orchestra',
    album: 'Two Square Metres',
    lyric: '三个花盆 一台洗衣机\n绿色的军队从不休息',
  },
]

export const GROUPS: readonly {
  name: string
  category: string
  summary: string
  mode: 'public' | 'private' | 'paid'
  scene: Scene
  posts: readonly { speaks: Language; title: string; body: string }[]
}[] = [
  {
    name: '慢慢走徒步社',
    category: '户外 Outdoors',
    mode: 'public',
    scene: 'mountains',
    summary: '走得慢，看得多。每月第一个周末集合。',
    posts: [
      {
        speaks: 'zh',
        title: '十一月路线投票',
        body: '**北坡环线**十四公里，或者*湖边线*九公里。请在下面留言，周四截止。',
      },
      {
        speaks: 'zh',
        title: '新手装备清单（第三版）',
        body: '- 头灯和备用电池\n- 旧鞋\n- 一条干袜子，放在最容易拿到的地方',
      },
      {
        speaks: 'en',
        title: 'Can visitors join?',
        body: 'A friend comes over from Lisbon next month. Would a slow walker who speaks no Chinese be welcome?',
      },
    ],
  },
  {
    name: 'Night Trains',
    category: '文字 Words',
    mode: 'public',
    scene: 'stars',
    summary: 'Short stories, one a week, read by people who mean it.',
    posts: [
      {
        speaks: 'en',
        title: 'The 23:40 to the coast',
        body: 'Nobody gets off until the last line. *4,000 words, first draft, be kind and be honest.*\n\nThe conductor counted us twice, and both times there was one too many.',
      },
      { speaks: 'en', title: 'Prompt for this week', body: 'A letter arrives **before** it was written.' },
      { speaks: 'zh', title: '可以用中文投稿吗', body: '写了一篇三千字的，关于一张二十年前的火车票。' },
    ],
  },
  {
    name: 'Radio repair bench',
    category: '手艺 Craft',
    mode: 'private',
    scene: 'city',
    summary: 'Bring it broken. Questions welcome, smoke tolerated.',
    posts: [
      {
        speaks: 'en',
        title: 'Hum at 50 Hz after recapping',
        body: 'New electrolytics, still humming. Ground loop, or did I miss one under the chassis?',
      },
      { speaks: 'zh', title: '收到一台不出声的老收音机', body: '外壳完好，灯能亮。从哪里查起比较好？' },
    ],
  },
  {
    name: '阳台菜园',
    category: '生活 Living',
    mode: 'paid',
    scene: 'meadow',
    summary: '两平方米，四季有菜。入群费用来团购种子。',
    posts: [
      { speaks: 'zh', title: '冬天种什么', body: '小白菜、蒜苗、豌豆尖。**不要**再种薄荷了。' },
      {
        speaks: 'en',
        title: 'Seed swap',
        body: 'I have too much basil and far too many marigolds. Looking for anything that survives me.',
      },
    ],
  },
]

/** Groups that wait for an administrator. */
export const WAITING_GROUPS = [
  {
    name: 'Sunday bakers',
    category: '生活 Living',
    summary: 'Bread, and what went wrong with it.',
    scene: 'cup',
  },
  { name: '桥梁爱好者', category: '手艺 Craft', summary: '拍桥、画桥、修桥的人。', scene: 'lake' },
] as const

export const QUESTION_TOPICS = [
  ['摄影 Photography', '器材、光线和等待。'],
  ['园艺 Gardening', 'From windowsill to orchard.'],
  ['厨房 Kitchen', '一切可以吃的问题。'],
  ['物理 Physics', 'Why things fall, and why they sometimes do not.'],
  ['音乐 Music', '练习、乐理和邻居。'],
] as const

export const QUESTIONS: readonly {
  speaks: Language
  topic: number
  subject: string
  body: string
  amount?: number
  answers: readonly string[]
  adopted?: boolean
}[] = [
  {
    speaks: 'en',
    topic: 1,
    subject: 'Why do my tomatoes only make leaves?',
    body: 'Balcony, south side, six hours of sun, watered every day.',
    amount: 200,
    adopted: true,
    answers: [
      'Too much nitrogen. Stop feeding for three weeks, let the soil dry between waterings, and shake the flowers gently at noon: there are no bees on the fifth floor.',
      'Six hours are on the low side. Put something white behind the pots.',
    ],
  },
  {
    speaks: 'zh',
    topic: 0,
    subject: '拍银河一定要全画幅相机吗？',
    body: '预算有限，手里只有一台旧的半画幅。',
    amount: 300,
    answers: [
      '不一定。光圈大、天够黑更重要。我第一张银河就是用半画幅拍的，二十秒，感光度三千二。',
      '三脚架比机身重要，先买三脚架。',
    ],
  },
  {
    speaks: 'en',
    topic: 3,
    subject: 'Why does a bicycle stay up?',
    body: 'My students asked, and "gyroscopic effect" did not survive the discussion.',
    answers: [
      'Because it steers itself into the fall. The gyroscope helps a little, the trail of the front wheel helps more, and a rider helps most. There are bicycles built without either that still stay up.',
      'Let them push one without a rider down a slope, and film it from behind. They will find it out themselves.',
    ],
  },
  {
    speaks: 'zh',
    topic: 2,
    subject: '桂花糕怎么才能不像肥皂？',
    body: '少糖版本，第三次失败。',
    amount: 100,
    answers: ['桂花减半，先用一点点盐水泡过再用，苦味就没有了。', '可能是香精的问题，换成干桂花试试。'],
  },
  {
    speaks: 'en',
    topic: 4,
    subject: 'How do I practise the viola without losing my neighbours?',
    body: 'Thin walls, four floors, one dog.',
    answers: [
      'Always at the same time. People forgive what they can predict.',
      'A practice mute, and cake twice a year.',
    ],
  },
  {
    speaks: 'zh',
    topic: 4,
    subject: '写歌卡在副歌怎么办？',
    body: '主歌三天写完，副歌写了两个月。',
    amount: 150,
    answers: [
      '把副歌当成主歌写，唱到最顺的那一句才是真正的副歌。',
      '出门走一圈，别带手机，回来第一句哼的就是。',
    ],
  },
  {
    speaks: 'en',
    topic: 0,
    subject: 'What is a good first lens for street photography?',
    body: 'I would like to be invisible.',
    amount: 120,
    answers: ['Something small around 35 mm. You become invisible by staying, not by hiding.'],
  },
  {
    speaks: 'zh',
    topic: 1,
    subject: '薄荷占领了整个阳台，求助',
    body: '现在正向洗衣机进军。',
    answers: ['连盆一起搬到邻居家门口，留一张纸条。', '根剪掉三分之二，隔离种植。它不会生气的。'],
  },
]

/** Why somebody reports something. */
export const REASONS = [
  'It is an advertisement.',
  '内容不实，请核实。',
  'The same text was posted five times.',
  '人身攻击',
  'The picture is not theirs.',
  '与话题无关',
] as const
export const WAITING_TOPICS = [
  ['深夜食堂', '睡不着的人在吃什么。'],
  ['Rainy days', 'Windows, puddles, and the sound of it.'],
  ['一个人的旅行', '去过的地方和没去成的地方。'],
  ['Tiny museums', 'Rooms with one good thing in them.'],
] as const
export const FEEDBACK = [
  '夜间模式的字可以再亮一点吗？',
  'Could I mute a topic for a week?',
  '希望可以给草稿加标题。',
  'The music player stops when I lock my phone.',
] as const
