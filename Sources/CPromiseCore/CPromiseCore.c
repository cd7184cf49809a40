#include "CPromiseCore.h"
