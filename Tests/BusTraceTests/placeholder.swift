import BusTrace
