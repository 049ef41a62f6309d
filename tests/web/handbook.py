"""A handbook of 200 pages with known facts, the same each time, and 50 questions that ask for them in other words."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Sequence

from tests.web.sample_documents import pdf

PAGES = 200
FACTS: Sequence[tuple[str, str]] = (
    ("Full-time employees accrue 2.5 vacation days each month.", "How many days of vacation does an employee accrue?"),
    ("Unused vacation expires on 31 March of the next year.", "When do my unused vacations expire?"),
    ("Parental leave is granted for up to fourteen months.", "How long are parents granted leave?"),
    ("A sick note is required from the third day of illness.", "After which day of being ill is a sick note required?"),
    ("Flights over six hours may be booked in premium economy.", "May I book premium economy for a long flight?"),
    ("Hotel rates in Zurich are reimbursed up to 210 francs.", "What hotel rate gets reimbursed in Zurich?"),
    ("Mileage for private cars is paid at 0.42 per kilometre.", "How much is paid per kilometre for a private car?"),
    ("Receipts must be submitted within thirty days of the trip.", "By when do I have to submit receipts of trips?"),
    ("Company credit cards are issued by the treasury desk.", "Who issues a company credit card?"),
    ("Passwords have at least sixteen characters.", "How many characters should a password have?"),
    ("Laptops are encrypted with BitLocker before delivery.", "With what are laptops encrypted?"),
    ("Lost badges are reported to the reception at extension 4711.", "Where do I report that I lost my badge?"),
    ("Visitors sign the confidentiality form at the gate.", "Which form must a visitor sign?"),
    ("The fire alarm is tested on the first Tuesday at noon.", "When are the fire alarms being tested?"),
    ("The defibrillator hangs beside the cafeteria door.", "Where can I find a defibrillator?"),
    ("Forklift drivers renew their licence every two years.", "How often must forklift licences be renewed?"),
    ("Chemical waste is collected in the yellow barrels.", "In which barrels does chemical waste get collected?"),
    (
        "Hearing protection is mandatory above 80 decibels.",
        "From how many decibels on must hearing be protected?",
    ),
    (
        "Interns receive a mentor from another department.",
        "Which department mentors an intern?",
    ),
    ("The probation period lasts six months.", "How long does probation last?"),
    ("Bonuses are calculated from the audited revenue.", "What are bonuses calculated from?"),
    ("Salary slips are uploaded on the 25th of the month.", "On what day are the salary slips uploaded?"),
    ("Overtime is compensated with time off within a quarter.", "How is overtime compensated?"),
    ("Night shifts carry a supplement of 25 percent.", "What supplement does a night shift carry?"),
    ("Remote work abroad is limited to twenty days a year.", "How many days of remote work abroad are allowed?"),
    ("Standing desks are ordered through the facility portal.", "Where can a standing desk be ordered?"),
    ("Bicycles can be leased through the provider Veloplan.", "Who is the provider for leasing bicycles?"),
    ("Parking permits cost 15 per month and are deducted.", "What does a parking permit cost?"),
    ("The nursery takes children from the age of one.", "From what age does the nursery take a child?"),
    ("Language courses are subsidised with 400 a year.", "How much subsidy is there for a language course?"),
    ("Conference talks need approval from communications.", "Who approves a talk at a conference?"),
    ("Press enquiries are forwarded to the spokesperson.", "To whom should I forward an enquiry of the press?"),
    ("Logos may only be printed in the shade called Petrol.", "In which shade can the logo be printed?"),
    ("Invoices above 10000 need two signatures.", "How many signatures does a large invoice need?"),
    ("Suppliers are rated every autumn with the Kestrel sheet.", "With which sheet do we rate our suppliers?"),
    ("Customer complaints are answered within two days.", "How fast do we answer complaints of customers?"),
    ("Warranty claims are archived for eleven years.", "For how long is a warranty claim archived?"),
    ("Refunds are approved by the regional manager.", "Who can approve a refund?"),
    ("Backups are kept in the vault in Reykjavik.", "Where is the vault in which backups are kept?"),
    ("Servers are patched on Thursday evenings.", "On which evening do servers get patched?"),
    ("Phishing mails are reported with the red hook button.", "How is a phishing mail reported?"),
    ("Guest networks are reset each midnight.", "When does the guest network reset?"),
    ("Printers use recycled paper called Ecolage.", "What is the recycled paper for printers called?"),
    ("Catering is ordered three working days ahead.", "How many days ahead do I order catering?"),
    ("The library lends books for four weeks.", "How many weeks can a book be lent?"),
    ("Jubilees are celebrated after ten years of service.", "After how many years is a jubilee celebrated?"),
    ("Resignations are handed in on paper.", "Is a resignation to be handed in on paper?"),
    ("References are written by the last supervisor.", "Who writes my reference when I leave?"),
    ("Whistleblowers contact the ombudsperson Dr. Adeyemi.", "Whom does a whistleblower contact?"),
    ("Gifts above 35 are declared in the compliance register.", "Where do gifts have to be declared?"),
)
"""What the handbook says once, and what somebody asks who has not read it."""

_WHO = "The department|Each team|The manager|The works council|Every employee|The office|A supervisor|The committee"
_DOES = "reviews|documents|plans|announces|checks|discusses|prepares|evaluates|updates|coordinates"
_WHAT = (
    "the vacation calendar|travel expenses|the training budget|security guidelines|customer reports|the shift plan|"
    "invoices of the month|the working time account|safety instructions|the list of suppliers|company cars|"
    "the parking area|laptop orders|the onboarding of colleagues|data protection rules|the salary bands|"
    "meeting rooms|the emergency plan|the quality manual|leave requests|the hotel list|passwords and accounts"
)
_HOW = (
    "in writing|before the end of the quarter|together with the works council|as described in the annex|"
    "at least once a year|with the usual form|in the first week of the month|on request|within the department|"
    "according to the policy|and informs everybody involved|after the yearly audit"
)


def page_of(fact: int) -> int:
    """The page, counted from 1, on which a fact stands."""
    return 3 + fact * 37 % 197


QUESTIONS: Sequence[tuple[str, int]] = tuple((question, page_of(at)) for at, (_, question) in enumerate(FACTS))
"""Each with the page that answers it."""


def handbook_pages() -> Sequence[str]:
    """The text of each page, in lines."""
    chance = random.Random(18)
    facts = {page_of(at): fact for at, (fact, _) in enumerate(FACTS)}
    assert len(facts) == len(FACTS)
    pages = list[str]()
    for number in range(1, PAGES + 1):
        sentences = [_sentence(chance) for _ in range(24)]
        if number in facts:
            sentences.insert(chance.randrange(len(sentences)), facts[number])
        lines = textwrap.wrap(" ".join(sentences), 90)
        pages.append("\n".join([f"{number // 10 + 1}.{number % 10 + 1} Rules of the company", *lines]))
    return pages


def handbook_pdf() -> bytes:
    """The handbook as a PDF."""
    return pdf(*handbook_pages())


def _sentence(chance: random.Random) -> str:
    parts = [chance.choice(part.split("|")) for part in (_WHO, _DOES, _WHAT, _HOW)]
    return " ".join(parts) + "."
